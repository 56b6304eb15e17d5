"""The steps of the story that `tacit.flow` tells, a file each."""
