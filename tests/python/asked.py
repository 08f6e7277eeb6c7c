"""What tests of the module ask with: the command line beside it, and refusals."""
import os
import subprocess

import reckon

PROGRAM = os.environ["RECKON"]
MODEL, SYSTEM = "llama3.1-8b", "h100-sxm5-80g"


def printed(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False).stdout


def refusal(call, *args, **options):
    try:
        call(*args, **options)
    except reckon.ReckonError as error:
        return error
    raise AssertionError("it was not refused")
