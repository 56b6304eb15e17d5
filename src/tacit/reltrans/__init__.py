"""Methods for records with baskets (Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos 2013)."""
