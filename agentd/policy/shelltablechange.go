package policy

// tableChanges are commands that change files of the data folder, or remove them.
var tableChanges = map[string]grammar{
	"mkdir":  {tier: Yellow, short: "pv", long: "parents verbose", writes: true},
	"touch":  {tier: Yellow, short: "acmd:t:", long: "no-create date= time=", writes: true},
	"cp":     {tier: Yellow, short: "anpvRrTt:dPLHiu", long: "archive no-clobber preserve preserve= recursive verbose update interactive target-directory= no-target-directory no-dereference", writes: true, replaces: true},
	"mv":     {tier: Yellow, short: "nvTt:iu", long: "no-clobber verbose update interactive target-directory= no-target-directory", writes: true, replaces: true},
	"tee":    {tier: Yellow, short: "ai", long: "append", writes: true, replaces: true, all: true, outside: []string{"/dev/null"}},
	"gzip":   {tier: Yellow, short: "123456789cdklnqrtv", long: "stdout decompress keep list test verbose fast best quiet", writes: true, tree: "r"},
	"gunzip": {tier: Yellow, short: "cklnqrtv", long: "stdout keep list test verbose quiet", writes: true, tree: "r"},
	"bzip2":  {tier: Yellow, short: "123456789cdkqtvz", writes: true}, "bunzip2": {tier: Yellow, short: "ckqv", writes: true},
	"xz": {tier: Yellow, short: "0123456789cdeklqtvz", long: "stdout decompress keep list test verbose", writes: true}, "unxz": {tier: Yellow, short: "ckqv", writes: true},

	// removing
	"rmdir":    {tier: Red, short: "pv", long: "parents verbose ignore-fail-on-non-empty", writes: true},
	"unlink":   {tier: Red, writes: true},
	"truncate": {tier: Red, short: "cor:s:", long: "no-create size= io-blocks reference=", writes: true},
	"ln":       {tier: Red, short: "sfnrvT", long: "symbolic force no-dereference relative verbose", writes: true},
	"chown":    {tier: Red, short: "cfRvhHLP", long: "recursive verbose changes no-dereference", first: true, writes: true},
	"chgrp":    {tier: Red, short: "cfRvhHLP", long: "recursive verbose changes no-dereference", first: true, writes: true},
	"shred":    {tier: CriticalRed, short: "fn:uvxz", writes: true},
	"split":    {tier: Red, short: "a:b:dl:n:", writes: true},
	"unzip":    {tier: Red, short: "lvtZ1nojqd:", writes: true},
}
