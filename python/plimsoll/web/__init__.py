"""The team's server: pages and a JSON API over one store. It receives results and never makes any."""
