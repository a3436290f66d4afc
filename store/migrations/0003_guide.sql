-- What Set up keeps of a host: checks, ticks, skips and the like. The body is JSON.
CREATE TABLE guide (
  host TEXT NOT NULL,
  kind TEXT NOT NULL,
  key  TEXT NOT NULL,
  time INTEGER NOT NULL,             -- Unix milliseconds
  body BLOB NOT NULL,
  PRIMARY KEY (host, kind, key)
) WITHOUT ROWID;
