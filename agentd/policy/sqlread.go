package policy

import (
	"slices"
	"strings"
)

// sqlFunctions are functions that compute from what they are given, or tell of the session: nothing else. All other
// functions may do anything, for a database lets its users write their own.
var sqlFunctions = words(`abs acos age any_value area array array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims
	array_position array_positions array_prepend array_remove array_replace array_to_json array_to_string array_upper ascii asin atan atan2 avg bit_and
	bit_count bit_length bit_or bool_and bool_or broadcast btrim cardinality cast cbrt ceil ceiling char char_length character_length chr coalesce
	concat concat_ws convert cos cot count cume_dist curdate current_database current_date current_schema current_time current_timestamp current_user
	curtime database date date_add date_bin date_diff date_format date_part date_sub date_trunc datediff datetime day dayname dayofmonth dayofweek
	dayofyear decode degrees dense_rank div elt encode every exp extract field find_in_set first_value floor format format_type from_days
	from_unixtime generate_series generate_subscripts get_byte glob greatest group_concat grouping hex host hour if ifnull iif initcap instr isfinite
	isnull json json_agg json_array json_array_elements json_array_elements_text json_array_length json_arrayagg json_build_array json_build_object
	json_contains json_each json_each_text json_extract json_extract_path json_extract_path_text json_group_array json_group_object json_keys
	json_length json_object json_object_agg json_object_keys json_objectagg json_quote json_tree json_type json_typeof json_unquote json_valid
	jsonb_agg jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
	jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys jsonb_path_query jsonb_pretty jsonb_typeof julianday justify_days
	justify_hours justify_interval lag last_day last_value lcase lead least left length ln localtime localtimestamp locate log log10 log2 lower
	lpad ltrim make_date make_interval make_time make_timestamp max md5 mid min minute mod mode month monthname now nth_value ntile nullif
	num_nonnulls num_nulls nvl obj_description octet_length overlay parse_ident percent_rank percentile_cont percentile_disc period_diff
	pg_column_size pg_database_size pg_get_constraintdef pg_get_expr pg_get_indexdef pg_get_viewdef pg_indexes_size pg_relation_size pg_size_pretty
	pg_table_size pg_total_relation_size pg_typeof pi position pow power printf quarter quote quote_ident quote_literal quote_nullable radians rank
	regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr
	repeat replace reverse right round row row_number row_to_json rpad rtrim scale sec_to_time second session_user sha1 sha2 sha224 sha256 sha384
	sha512 sign sin space split_part sqlite_version sqrt starts_with std stddev stddev_pop stddev_samp stdev str_to_date strcmp strftime string_agg
	string_to_array strpos substr substring substring_index sum tan time time_to_sec timediff timestamp timestampadd timestampdiff to_char to_date
	to_days to_hex to_json to_jsonb to_number to_timestamp total translate trim trunc truncate typeof ucase unhex unicode unistr unix_timestamp
	unixepoch unnest upper utc_date utc_time utc_timestamp uuid_nil var_pop var_samp variance version week weekday weekofyear width_bucket year
	yearweek zeroblob bool bin changes col_description connection_id crc32 current_setting found_rows gen_random_uuid has_table_privilege
	inet_client_addr inet_server_addr last_insert_id last_insert_rowid levenshtein likely makedate maketime normalize
	pg_backend_pid pg_is_in_recovery pg_postmaster_start_time pg_table_is_visible phraseto_tsquery plainto_tsquery random row_count schema
	similarity soundex to_tsquery to_tsvector total_changes ts_headline ts_rank unlikely user uuid websearch_to_tsquery word_similarity
	jsonb_set jsonb_insert jsonb_strip_nulls json_strip_nulls json_to_record json_to_recordset jsonb_to_record jsonb_to_recordset jsonb_object
	jsonb_path_exists jsonb_path_match jsonb_path_query_array jsonb_path_query_first json_value json_query json_exists json_overlaps json_search
	json_set json_insert json_replace json_remove json_merge_patch json_merge_preserve json_patch json_pretty json_depth json_contains_path
	pg_get_functiondef pg_get_triggerdef pg_get_ruledef pg_get_userbyid pg_get_serial_sequence pg_encoding_to_char pg_blocking_pids
	pg_conf_load_time pg_current_wal_lsn pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_wal_lsn_diff
	shobj_description to_regclass addtime subtime adddate subdate bin_to_uuid uuid_to_bin inet_aton inet_ntoa conv convert_tz field ord quote
	bm25 highlight snippet statement_timestamp transaction_timestamp corr covar_pop covar_samp regr_count
	regr_intercept regr_r2 regr_slope gcd lcm bit_xor isempty has_column_privilege has_database_privilege has_schema_privilege is_uuid inet6_aton
	inet6_ntoa json_error_position`)

// sqlBefore are words of the language that may stand before a parenthesis, and types.
var sqlBefore = words(`all and any array as asc between by case check collate cross desc distinct distinctrow else escape except exists filter first
	following for from full group groups having ilike in inner intersect interval is isnull join key last lateral left like limit match
	materialized natural next not notnull nulls offset on only or order over overlaps partition preceding primary range recursive references
	regexp right rlike rollup cube sets rows select similar some sounds tablesample then to top union unique using values when where window with
	within bit bpchar char character varchar nchar nvarchar varbit binary varbinary numeric decimal dec float double real int integer
	smallint bigint tinyint mediumint timestamptz text blob set enum varying xor conflict duplicate`)

// sqlSecrets are tables that hold how accounts sign in.
var sqlSecrets = words(`pg_shadow pg_authid pg_user_mapping pg_user_mappings pg_subscription pg_file_settings pg_hba_file_rules user_mapping_options global_priv mysql.user sqlite_sequence_secrets decrypted_secrets`)

// sqlChanges are words that begin a change when they stand inside of a statement that reads.
var sqlChanges = words(`insert update delete merge truncate drop alter create grant revoke copy call execute prepare vacuum reindex attach detach upsert
	lock do handler load purge reset shutdown rename`)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// reading judges a statement that should only read: one plain SELECT without INTO, locks, changes and functions that
// are not in the list.
func (q *sqlJudge) reading(s []sqlToken) {
	for i, t := range s {
		next := at(s, i+1)
		switch {
		case next.is("(") && (t.kind == sqlWord || t.kind == sqlName):
			q.call(s, i)
		case t.kind == sqlWord:
			q.readingWord(s, i)
		case t.is(":") && next.is("="):
			q.notRead("It sets a variable.")
		}
	}
}

func (q *sqlJudge) readingWord(s []sqlToken, i int) {
	t, before, next := s[i], at(s, i-1), at(s, i+1)
	plainName := before.is(".") || next.is(".") || before.is("as")
	switch {
	case t.is("into"):
		q.into(next)
	case t.is("for") && slices.Contains([]string{"update", "share", "no", "key"}, next.text), t.is("lock") && next.is("in"):
		q.notRead("It locks rows.")
	case t.is("value") && before.is("next") && next.is("for"):
		q.notRead("It takes the next number of a sequence.")
	case t.is("procedure"):
		q.notRead("It runs a procedure.")
	case sqlChanges[t.text] && !plainName && i > 0:
		q.notRead("It changes something on the way.")
	}
}

// into judges where a SELECT writes its rows.
func (q *sqlJudge) into(next sqlToken) {
	if next.is("outfile") || next.is("dumpfile") {
		q.raise(CriticalRed, "database.file.write", "Write a file from the database", "It writes a file on the machine of the database.")
		return
	}
	q.notRead("It writes what it reads.")
}

// call judges a name before a parenthesis.
func (q *sqlJudge) call(s []sqlToken, i int) {
	name := strings.ToLower(s[i].text)
	before := at(s, i-1)
	if before.is(".") {
		if !at(s, i-2).is("pg_catalog") {
			q.notRead("It runs a function of the database's own.")
			return
		}
	} else if s[i].kind == sqlWord && (sqlBefore[name] && !(sqlBehind[name] && q.valueBegins(before)) || before.is("as")) || columnsOf(s, i) {
		return
	}
	if !sqlFunctions[name] && !q.textSearch(s[i], before) {
		q.notRead("The gate does not know what the function " + visible(name) + " does.")
	}
}

// textSearch says whether a word searches a text, of MySQL as MATCH (columns) AGAINST (words). In quotes it is a name.
func (q *sqlJudge) textSearch(t, before sqlToken) bool {
	return q.engine == mysql && t.kind == sqlWord && (t.is("match") || t.is("against") && before.is(")"))
}

// sqlBehind are those of sqlBefore that only stand behind something. Where a value begins they are names of functions,
// as a database lets its users call theirs.
var sqlBehind = words(`by escape filter first following full groups key last match materialized next nulls over partition preceding range recursive
	regexp rlike sets similar sounds tablesample top within conflict duplicate`)

// sqlValueBehind are words behind which a value begins.
var sqlValueBehind = words("select distinct all where and or not when then else having on from join case between like in limit offset")

// searches says whether the engine has words of its own that search and compare, as no function may be called there.
func (q *sqlJudge) searches() bool { return q.engine == mysql || q.engine == sqlite }

// valueBegins says whether a value begins behind a token.
func (q *sqlJudge) valueBegins(t sqlToken) bool {
	if t.kind == sqlWord {
		return sqlValueBehind[t.text] && !(t.is("not") && q.searches()) // NOT REGEXP
	}
	return t.kind == sqlMark && !t.is(")") && !t.is("]")
}

// columnsOf says whether the name at i is that of a query in WITH, with its columns behind it.
func columnsOf(s []sqlToken, i int) bool {
	before := at(s, i-1)
	if !before.is("with") && !before.is("recursive") && !before.is(",") || !hasSQLWord(s[:i], "with") {
		return false
	}
	k := i + 2
	for k < len(s) && !s[k].is(")") {
		if !s[k].is(",") && s[k].kind != sqlWord && s[k].kind != sqlName {
			return false
		}
		k++
	}
	return at(s, k+1).is("as") && (at(s, k+2).is("(") || at(s, k+2).is("materialized") || at(s, k+2).is("not"))
}

func at(s []sqlToken, i int) sqlToken {
	if i < 0 || i >= len(s) {
		return sqlToken{kind: sqlString}
	}
	return s[i]
}

// sqlDangers are functions that leave the database, or run what they are given, wherever they stand.
var sqlDangers = map[string]Tier{
	"pg_read_file": CriticalRed, "pg_read_binary_file": CriticalRed, "pg_ls_dir": CriticalRed, "pg_stat_file": CriticalRed, "pg_file_write": Forbidden,
	"pg_execute_server_program": Forbidden, "lo_import": CriticalRed, "lo_export": CriticalRed, "lo_from_bytea": CriticalRed, "lo_put": CriticalRed, "lo_unlink": CriticalRed,
	"pg_reload_conf": CriticalRed, "pg_rotate_logfile": CriticalRed,
	"pg_terminate_backend": CriticalRed, "pg_promote": CriticalRed, "pg_drop_replication_slot": CriticalRed, "set_config": CriticalRed,
	"query_to_xml": CriticalRed, "load_file": CriticalRed, "sys_exec": Forbidden, "sys_eval": Forbidden, "load_extension": Forbidden,
	"writefile": CriticalRed, "readfile": CriticalRed, "edit": Forbidden, "fts3_tokenizer": Forbidden, "xp_cmdshell": Forbidden, "sp_configure": Forbidden,
}

// sqlDanger is the tier of a function of sqlDangers, or of one that asks another server.
func sqlDanger(name string) (tier Tier, danger bool) {
	if sqlServers[name] {
		return CriticalRed, true
	}
	tier, danger = sqlDangers[name]
	return tier, danger
}

// sqlServers are the functions of dblink, which asks other servers.
var sqlServers = words(`dblink dblink_build_sql_delete dblink_build_sql_insert dblink_build_sql_update dblink_cancel_query dblink_close dblink_connect
	dblink_connect_u dblink_current_query dblink_disconnect dblink_error_message dblink_exec dblink_fdw_validator dblink_fetch dblink_get_connections
	dblink_get_notify dblink_get_pkey dblink_get_result dblink_is_busy dblink_open dblink_send_query`)

// sqlObjects are the functions of Postgres for large objects.
var sqlObjects = words(`lo_close lo_creat lo_create lo_export lo_from_bytea lo_get lo_import lo_lseek lo_lseek64 lo_manage lo_oid lo_open lo_put lo_tell
	lo_tell64 lo_truncate lo_truncate64 lo_unlink`)

func (q *sqlJudge) escape(tier Tier, function string) {
	q.raise(tier, "database.server.escape", "Reach beyond the database", "The function "+function+" reaches files, programs or other servers.")
}

// everywhere looks at every word of a statement for what leaves the database and for secrets.
func (q *sqlJudge) everywhere(s []sqlToken) {
	given := fromFunctions(s)
	for i, t := range s {
		name := strings.ToLower(t.text)
		if q.engine == sqlite && sqliteFiles[name] && !valueAt(s, i) {
			q.raise(CriticalRed, "database.server.escape", "Reach beyond the database", "The table "+name+" is made of files.")
		}
		if q.engine == postgres && name == "primary_conninfo" {
			q.notRead("It shows how a copy of the database signs in.")
		}
		if t.kind != sqlWord && t.kind != sqlName {
			continue
		}
		if tier, danger := sqlDanger(name); danger && at(s, i+1).is("(") {
			q.escape(tier, name)
		}
		if sqlSecrets[name] || q.accounts(s, i, name) {
			q.never("It reads how accounts sign in.")
		}
		if q.engine == postgres && at(s, i-1).is(".") {
			q.attribute(s, i, name, given)
		}
	}
}

// sqliteFiles are tables of SQLite's own shell whose rows are files. Their names may stand in any quotes.
var sqliteFiles = words("fsdir zipfile")

// valueAt says whether the text at i is for sure a value, and not the name of a table: behind a sign of equality, or among
// the first values of VALUES or IN.
func valueAt(s []sqlToken, i int) bool {
	switch {
	case s[i].kind != sqlString || hasSQLWord(s, "create"): // a table for searching is told by a setting what it searches
		return false
	case at(s, i-1).is("="):
		return true
	}
	for i--; i > 0 && (s[i].kind == sqlString || s[i].is(",")); i-- {
	}
	return at(s, i).is("(") && (at(s, i-1).is("values") || at(s, i-1).is("in"))
}

// sqlAccounts are tables that hold how accounts sign in, by the database in which they lie.
var sqlAccounts = map[string]map[string]bool{
	"mysql":              words("user servers slave_master_info global_priv password_history"),
	"information_schema": words("user_attributes"),
}

// accounts says whether the name at i is that of a table of sqlAccounts.
func (q *sqlJudge) accounts(s []sqlToken, i int, name string) bool {
	if at(s, i-1).is(".") {
		return sqlAccounts[strings.ToLower(at(s, i-2).text)][name]
	}
	return sqlAccounts[q.database][name] && !at(s, i+1).is("(")
}

// attribute judges the name at i behind a dot. Postgres takes it for a column of what stands before the dot, or for a
// function that is given that.
func (q *sqlJudge) attribute(s []sqlToken, i int, name string, given sqlGiven) {
	tier, danger := sqlDanger(name)
	closed := at(s, i-2).is(")") || at(s, i-2).is("]")
	value := given.value(s, i, name)
	switch {
	case sqlFunctions[name], !closed && !value:
	case danger:
		q.escape(tier, name)
	case strings.HasPrefix(name, "pg_") || sqlObjects[name]:
		q.escape(CriticalRed, name)
	case value || sqlActs[name] || !columnBefore(s, i-2) && !fieldOf(s, i-2, name):
		q.notRead("The gate does not know what the function " + visible(name) + " does.")
	}
}

// sqlActs are functions of one argument that change something, or run it as a query.
var sqlActs = words("nextval ts_stat crosstab brin_summarize_new_values gin_clean_pending_list http_get http_head http_delete")

// columnBefore says whether the parenthesis that ends at i holds the name of a column and nothing else.
func columnBefore(s []sqlToken, i int) bool {
	for name := true; i > 0; name = !name {
		i--
		t := at(s, i)
		switch {
		case t.is("(") && !name:
			return true
		case name && (t.kind == sqlName || t.kind == sqlWord && !sqlFunctions[t.text] && !sqlBefore[t.text] && !sqlValues[t.text]):
		case !name && t.is("."):
		default:
			return false
		}
	}
	return false
}

// sqlFields are what columns are called in what functions give.
var sqlFields = words("key value id")

// fieldOf says whether the name is for sure that of a column in what ends at i: of a query that names it, or a usual one of
// a function that only computes.
func fieldOf(s []sqlToken, i int, name string) bool {
	open := opening(s, i)
	for at(s, open).is("[") {
		i = open - 1
		open = opening(s, i)
	}
	if !at(s, open).is("(") {
		return false
	}
	first := at(s, open+1)
	if first.is("select") {
		return sqlFields[name] || slices.Contains(s[open:i], sqlToken{sqlWord, name})
	}
	return sqlFields[name] && first.kind == sqlWord && sqlFunctions[first.text] && at(s, open+2).is("(") && opening(s, i-1) == open+2
}

// opening is where the parenthesis or bracket begins that ends at i, or -1.
func opening(s []sqlToken, i int) int {
	for depth := 0; i >= 0; i-- {
		switch {
		case at(s, i).is(")"), at(s, i).is("]"):
			depth++
		case at(s, i).is("("), at(s, i).is("["):
			depth--
		}
		if depth <= 0 {
			return i
		}
	}
	return -1
}

// sqlValues are words that are values, and no columns.
var sqlValues = words("null true false current_catalog current_role")
