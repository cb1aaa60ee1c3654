"""Replies for errors outside of all steps."""

import traceback


def failure(error_class, message):
    error = {"class": error_class, "message": message, "at_step": "testee"}
    return {"error": error}


def reply_or_failure(answer):
    """What answer() gives, or the reply for the error that it raises."""
    try:
        return answer()
    except Exception as error:  # of the program or of ours: the next one may do
        traceback.print_exc()
        return failure("Internal", f"{type(error).__name__}: {error}")
