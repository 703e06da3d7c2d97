"""Who is stronger, and by how much: matches, ratings, mistakes, puzzles, reports."""
