package policy

import "gatehouse/agentd/lazyre"

// readsData are clients of databases and tools for tables and documents.
var readsData = map[string][]readForm{
	"pg_lsclusters": {{"", grammar{tier: Green, short: "h", words: map[string]Tier{}}}},
	"mysqladmin":    {{"status|ping|version|processlist|extended-status|variables", nothing}},
	"mysqlshow":     {{"", named("u:kitv", "user= keys status count verbose")}},
	"xmllint":       {{"--xpath", xmlReads(true)}, {"--noout|--format", xmlReads(false)}},
	"pdfinfo":       {{"", grammar{tier: Green, word: words("-isodates -rawdates -box -meta -v"), max: 1}}},
	"csvcut":        {{"", csvReads}}, "csvlook": {{"", csvReads}}, "csvstat": {{"", csvReads}}, "csvsort": {{"", csvReads}},
	"restic": {{"version", nothing}},
}

var csvReads = grammar{tier: Green, short: "c:C:d:nlrStHzvK:", long: "names columns= not-columns= delimiter= tabs no-header-row zero linenumbers reverse max-rows= max-columns= count csv freq sum mean median min max unique nulls type len"}

// xmlReads is xmllint checking, printing or searching files, but no addresses. It loads nothing that a file names
// unless flags say so.
func xmlReads(expression bool) grammar {
	return grammar{tier: Green, first: expression, long: "noout format html nonet recover noblanks", never: lazyre.MustCompile(`(?i)^[a-z]+:/`)}
}
