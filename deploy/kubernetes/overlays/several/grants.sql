-- What the dealers may do with the tables, and no more; said again after every migration, which may add some.
GRANT SELECT, INSERT, UPDATE ON logs, metas TO dealing;
GRANT SELECT, INSERT, DELETE ON lines, checkpoints, spent, answers, archiving, notices TO dealing;
GRANT SELECT, INSERT, UPDATE, DELETE ON secrets, nodes TO dealing;
GRANT SELECT, INSERT ON movements TO dealing;
GRANT SELECT, UPDATE ON counters TO dealing;
GRANT SELECT ON schema_version TO dealing;
