"""Ratings: surveys, stars for films."""
