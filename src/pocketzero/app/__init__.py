"""What people use: the command line and, on top of it, everything that talks to them."""
