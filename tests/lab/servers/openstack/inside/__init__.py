"""Scripts that run with the services' own libraries, in their virtual environment."""
