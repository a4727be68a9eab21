package migrations

import "embed"

// Files holds NNNN_name.sql, applied in the order of their numbers, each in a transaction of its own.
//
//go:embed *.sql
var Files embed.FS
