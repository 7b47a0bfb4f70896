"""Why a beacon can not be used: one error, whose text is for people."""


class BeaconError(Exception):
    """What should be of a beacon is not there, or is not the beacon's; the text says what."""
