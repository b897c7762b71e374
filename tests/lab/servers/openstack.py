"""The OpenStack half."""


def up():
    """Installs and starts it."""


def describe():
    """What the tests need to know of it."""
    return {}
