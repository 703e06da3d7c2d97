"""Players of the m,n,k games."""
