"""Players of Dots and Boxes."""
