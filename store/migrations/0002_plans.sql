-- The body is the plan's file form (YAML), as a person would export it.
CREATE TABLE plans (
  id       TEXT PRIMARY KEY,
  name     TEXT NOT NULL,
  body     BLOB NOT NULL,
  position INTEGER NOT NULL,         -- in the list
  updated  INTEGER NOT NULL          -- Unix milliseconds
) WITHOUT ROWID;
