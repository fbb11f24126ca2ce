"""dd for Plimsoll. Nothing is loaded here: Plimsoll loads each module when it needs it."""
