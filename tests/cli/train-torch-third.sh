#!/bin/sh
# The third of three parts of train-torch.sh.
exec sh "$(dirname "$0")/train-torch.sh" 2
