"""What keeps the repository together: tables made from the declarations, and the files of a new method or promise."""
