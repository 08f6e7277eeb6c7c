export FP8=True
export PP=1
export MBS=1
