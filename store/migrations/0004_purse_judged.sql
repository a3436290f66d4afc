-- What the purse keeps of a host, or of all (host ''). The body is JSON.
CREATE TABLE purse (
  host TEXT NOT NULL,
  kind TEXT NOT NULL,
  key  TEXT NOT NULL,
  time INTEGER NOT NULL,             -- Unix milliseconds
  body BLOB NOT NULL,
  PRIMARY KEY (host, kind, key)
) WITHOUT ROWID;
CREATE INDEX purse_time ON purse (kind, time);

-- What the reader said of the host: the first of a recording and those that
-- differ from the one before.
CREATE TABLE inventories (
  id        INTEGER PRIMARY KEY,
  recording INTEGER NOT NULL,
  t         INTEGER NOT NULL,        -- Unix milliseconds
  body      BLOB NOT NULL            -- CBOR of probe.Inventory without its time
);
CREATE INDEX inventories_recording ON inventories (recording, t);

-- What the rules said of a recording, and the steady phases they found in it.
CREATE TABLE judged (
  recording INTEGER PRIMARY KEY,
  version   INTEGER NOT NULL,        -- of the rules
  t         INTEGER NOT NULL,        -- judged up to, Unix milliseconds
  body      BLOB NOT NULL            -- CBOR of the verdicts
);
CREATE TABLE phases (
  id        INTEGER PRIMARY KEY,
  recording INTEGER NOT NULL,
  t0        INTEGER NOT NULL,        -- Unix milliseconds
  t1        INTEGER NOT NULL,
  body      BLOB NOT NULL            -- CBOR of judge.Phase
);
CREATE INDEX phases_recording ON phases (recording);
CREATE INDEX phases_time ON phases (t1);

-- Recordings that were read from a file.
CREATE TABLE imports (
  recording INTEGER PRIMARY KEY,
  hash      TEXT NOT NULL,           -- SHA-256 of the file, hex
  name      TEXT NOT NULL,           -- of the file, without its folder
  t         INTEGER NOT NULL         -- when, Unix milliseconds
);
CREATE INDEX imports_hash ON imports (hash);
