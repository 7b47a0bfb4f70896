#!/usr/bin/env bash
# Run once, when the database is made: who owns the tables, and who deals. OPERATIONS.md, "The database", says why two.
set -euo pipefail
owner=$(< /run/secrets/owner.password)
dealing=$(< /run/secrets/dealing.password)
# On standard input, so that no password stands in a command line.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username=postgres --dbname=postgres <<SQL
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_min_error_statement = 'panic';
CREATE ROLE cutcard_owner LOGIN PASSWORD '${owner//\'/\'\'}';
CREATE ROLE dealing LOGIN PASSWORD '${dealing//\'/\'\'}';
CREATE DATABASE cutcard OWNER cutcard_owner ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;
REVOKE ALL ON DATABASE cutcard FROM PUBLIC;
GRANT CONNECT ON DATABASE cutcard TO dealing;
\connect cutcard
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CREATE, USAGE ON SCHEMA public TO cutcard_owner;
GRANT USAGE ON SCHEMA public TO dealing;
SQL
