"""A component that knows nothing of remit: functions at the top level of its world, and Python's own libraries."""

import collections
import heapq  # noqa: F401  # Counter imports it when it runs, and then there is no library left to import from
import re

import componentize_py_types
import wit_world


class WitWorld(wit_world.WitWorld):
    def count_words(self, text, at_most):
        words = re.findall(r"\w+", text.lower())
        if not words:
            raise componentize_py_types.Err("there is no word in it")
        tally = collections.Counter(words).most_common(at_most)
        return [wit_world.Tally(word, count) for word, count in tally]

    def first_line(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                return file.readline().rstrip("\n")
        except OSError as error:
            raise componentize_py_types.Err(f"{type(error).__name__}: {error}")
