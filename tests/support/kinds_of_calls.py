"""Every method by what it does, written out apart from the dealer's own table of roles."""

COLUMNS: dict[str, tuple[str, ...]] = {
    "plays": (
        "TakeSeat",
        "LeaveSeat",
        "AddChips",
        "SitOut",
        "ComeBack",
        "Anchor",
        "GiveLink",
        "Act",
        "Show",
        "Prefer",
        "PreSelect",
    ),
    "looks": (
        "GetTable",
        "Watch",
        "GetCheckpoint",
        "ListEntries",
        "GetInclusionProof",
        "GetConsistencyProof",
        "GetGameFile",
        "GetLogProof",
    ),
    "key": ("GetKey",),
    "reads game": ("GetGame",),
    "reads all": ("ListGames", "FollowChips"),
    "runs": ("PauseGame", "ResumeGame", "VoidHand", "RemovePlayer", "CloseGame"),
    "opens": ("OpenGame",),
}

CERTIFYING: tuple[str, ...] = ("Describe", "DealHands")
"""What a dealer in certification mode answers, which deals no games."""
