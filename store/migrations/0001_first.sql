-- Times: t, first and last in whole seconds of Unix time, others in milliseconds.

CREATE TABLE settings (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE hosts (
  id      TEXT PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE COLLATE NOCASE,
  line    TEXT NOT NULL,
  created INTEGER NOT NULL,
  options TEXT NOT NULL              -- JSON object
) WITHOUT ROWID;

CREATE TABLE gpus (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  host   TEXT NOT NULL,
  uuid   TEXT NOT NULL,
  name   TEXT NOT NULL,
  UNIQUE (host, uuid)
);

CREATE TABLE recordings (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  host      TEXT NOT NULL,
  host_name TEXT NOT NULL,
  demo      INTEGER NOT NULL,
  source    TEXT NOT NULL,
  started   INTEGER NOT NULL,
  first     INTEGER,                 -- time of the first and the last reading
  last      INTEGER,
  ended     INTEGER,                 -- NULL while it is written
  reason    TEXT NOT NULL DEFAULT '',
  lost      INTEGER NOT NULL DEFAULT 0,
  deleted   INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX recordings_host ON recordings (host, first);

-- One reader: from its start to its end, a link lost, the instance restarted.
CREATE TABLE runs (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  recording INTEGER NOT NULL,
  boot_id   TEXT NOT NULL,
  init      INTEGER NOT NULL,
  source    TEXT NOT NULL,
  agent     TEXT NOT NULL,
  offset    INTEGER NOT NULL,        -- host clock minus ours at the start
  started   INTEGER NOT NULL,
  ended     INTEGER,
  reason    TEXT NOT NULL DEFAULT ''
);
CREATE INDEX runs_recording ON runs (recording);

-- A track is one card, or the machine (uuid ''), in one recording.
CREATE TABLE tracks (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  recording INTEGER NOT NULL,
  gpu       INTEGER NOT NULL,        -- gpus.id, 0 for the machine
  uuid      TEXT NOT NULL,
  device    BLOB NOT NULL,           -- CBOR of probe.Device
  UNIQUE (recording, uuid)
);

-- The open hour.
CREATE TABLE rows (
  track INTEGER NOT NULL,
  run   INTEGER NOT NULL,
  seq   INTEGER NOT NULL,            -- of the first reading in this second
  span  INTEGER NOT NULL,            -- how many more readings are in it
  t     INTEGER NOT NULL,
  data  BLOB NOT NULL,
  PRIMARY KEY (track, run, seq)
) WITHOUT ROWID;

-- Sealed hours. The ids are packed, see key.go.
CREATE TABLE seconds (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE minutes (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE hours   (id INTEGER PRIMARY KEY, data BLOB NOT NULL);

CREATE TABLE chunks (
  recording INTEGER NOT NULL,
  hour      INTEGER NOT NULL,
  seconds   INTEGER NOT NULL,        -- bytes, 0 once they are gone
  minutes   INTEGER NOT NULL,
  hours     INTEGER NOT NULL,
  cells     INTEGER NOT NULL,        -- card-seconds, without the machine's
  PRIMARY KEY (recording, hour)
) WITHOUT ROWID;
CREATE INDEX chunks_hour ON chunks (hour);

-- Which sequence numbers of a run lie in a sealed hour, so that late or
-- corrected readings find the hour they belong to.
CREATE TABLE chunk_runs (
  run       INTEGER NOT NULL,
  hour      INTEGER NOT NULL,
  lo        INTEGER NOT NULL,
  hi        INTEGER NOT NULL,
  recording INTEGER NOT NULL,
  PRIMARY KEY (run, hour)
) WITHOUT ROWID;
CREATE INDEX chunk_runs_hour ON chunk_runs (recording, hour);

CREATE TABLE gaps (
  id        INTEGER PRIMARY KEY,
  recording INTEGER NOT NULL,
  uuid      TEXT NOT NULL,
  t0        INTEGER NOT NULL,
  t1        INTEGER NOT NULL,
  reason    TEXT NOT NULL,
  lost      INTEGER NOT NULL DEFAULT 0,
  UNIQUE (recording, t0, uuid, reason)
);

CREATE TABLE events (
  id        INTEGER PRIMARY KEY,
  recording INTEGER NOT NULL,
  uuid      TEXT NOT NULL,
  t         INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  code      INTEGER NOT NULL,
  text      TEXT NOT NULL,
  raw       TEXT NOT NULL,
  UNIQUE (recording, t, uuid, kind, code, raw)
);
