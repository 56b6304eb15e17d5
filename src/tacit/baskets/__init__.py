"""Baskets: purchases, diagnoses, page visits."""
