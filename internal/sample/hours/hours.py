"""hours keeps track of hours."""

import json
import sqlite3
import time

JSON_FILE = "~/.hours/entries.json"


def add(entry):
    """Adds an entry to the JSON file. Not safe: never run two at once."""
    entries = load()
    entries.append(entry)
    with open(JSON_FILE, "w") as f:
        json.dump(entries, f)  # the whole JSON file again


def load():
    """Reads all entries from the JSON file."""
    with open(JSON_FILE) as f:
        return json.load(f)


def add_safely(entry):
    """What the branch does: SQLite keeps the entries, and writers wait for one another."""
    with sqlite3.connect("entries.db", timeout=5) as db:  # SQLite, one transaction
        db.execute("insert into entries values (?, ?)", (entry, time.time()))
