package policy

import "gatehouse/agentd/lazyre"

// The commands that the gate understands, by subject. A command that is not here is red, whatever its words. A flag
// belongs here only if the command with it still does what the tier says: no flag that runs a program, reads names from
// a file, writes one, or reaches another machine.
var table = oneTable(tableFiles, tableText, tableWords, tableMachine, tableChanges)

func oneTable(all ...map[string]grammar) map[string]grammar {
	out := map[string]grammar{}
	for _, some := range all {
		for prog, g := range some {
			if _, twice := out[prog]; twice {
				panic("policy: " + prog + " stands in two tables")
			}
			out[prog] = g
		}
	}
	return out
}

// tableFiles are commands that read files, or tell of them.
var tableFiles = map[string]grammar{
	"cat":       {tier: Green, short: "AbeEnstTuv", long: "show-all number number-nonblank show-ends show-tabs squeeze-blank show-nonprinting"},
	"tac":       {tier: Green, short: "bs:r", long: "before separator= regex"},
	"head":      {tier: Green, short: "c:n:qvz", long: "bytes= lines= quiet silent verbose zero-terminated", digits: true},
	"tail":      {tier: Green, short: "c:n:qvzfFs:", long: "bytes= lines= quiet silent verbose zero-terminated follow follow= retry pid= sleep-interval=", digits: true},
	"ls":        {tier: Green, short: "aAbBcCdfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1", long: "all almost-all author escape block-size= ignore-backups color color= directory classify file-type format= full-time group-directories-first no-group human-readable si inode ignore= hide= indicator-style= size sort= time= time-style= reverse recursive literal quote-name quoting-style= width= dereference numeric-uid-gid", outside: []string{"/var/log"}},
	"dir":       {tier: Green, short: "aAlhrRtS1"},
	"tree":      {tier: Green, short: "adfhiL:P:I:sDgpuCnFrtQN", long: "noreport du dirsfirst filelimit= prune inodes si"},
	"stat":      {tier: Green, short: "Lfc:t", long: "dereference file-system format= printf= terse"},
	"file":      {tier: Green, short: "bihkLNprsvz0", long: "brief mime mime-type mime-encoding keep-going dereference"},
	"wc":        {tier: Green, short: "cmlLw", long: "bytes chars lines words max-line-length total="},
	"du":        {tier: Green, short: "0aAbB:cd:DhHklLmPsSt:x", long: "all apparent-size bytes block-size= total max-depth= human-readable si summarize separate-dirs threshold= one-file-system exclude= time time= inodes dereference"},
	"nl":        {tier: Green, short: "b:d:f:h:i:l:n:ps:v:w:", long: "body-numbering= number-width= number-separator="},
	"od":        {tier: Green, short: "abcdfiloxA:j:N:t:vw:", long: "address-radix= skip-bytes= read-bytes= format= output-duplicates"},
	"hexdump":   {tier: Green, short: "bcCdoxn:s:v"},
	"xxd":       {tier: Green, short: "bc:eg:hil:ps:u", max: 1, second: true},
	"strings":   {tier: Green, short: "an:o", long: "bytes= all radix=", digits: true},
	"md5sum":    {tier: Green, short: "btzcw", long: "binary text tag zero check quiet status ignore-missing"},
	"sha1sum":   {tier: Green, short: "btzcw", long: "binary text tag zero check quiet status ignore-missing"},
	"sha224sum": {tier: Green, short: "btzcw", long: "binary text tag zero check quiet status ignore-missing"},
	"sha256sum": {tier: Green, short: "btzcw", long: "binary text tag zero check quiet status ignore-missing"},
	"sha384sum": {tier: Green, short: "btzcw", long: "binary text tag zero check quiet status ignore-missing"},
	"sha512sum": {tier: Green, short: "btzcw", long: "binary text tag zero check quiet status ignore-missing"},
	"b2sum":     {tier: Green, short: "btz", long: "binary text tag zero"},
	"cksum":     {tier: Green},
	"sum":       {tier: Green, short: "rs"},
	"base64":    {tier: Green, short: "diw:", long: "decode ignore-garbage wrap="},
	"base32":    {tier: Green, short: "diw:", long: "decode ignore-garbage wrap="},
	"realpath":  {tier: Green, short: "eLmPqsz", long: "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero relative-to= relative-base="},
	"readlink":  {tier: Green, short: "femnqsvz", long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet verbose zero"},
	"cmp":       {tier: Green, short: "bi:ln:s", long: "print-bytes verbose quiet silent"},
	"diff":      {tier: Green, short: "abBcC:dEiNpqrstTU:uwyZ", long: "brief report-identical-files unified unified= context context= side-by-side recursive new-file ignore-case ignore-all-space ignore-space-change ignore-blank-lines text color color= exclude= suppress-common-lines width= strip-trailing-cr", digits: true, enters: true},
	"comm":      {tier: Green, short: "123z", long: "check-order nocheck-order output-delimiter= total zero-terminated"},
	"zcat":      {tier: Green, short: "fqv"}, "bzcat": {tier: Green, short: "kqs"}, "xzcat": {tier: Green, short: "kqv"}, "lzcat": {tier: Green}, "zstdcat": {tier: Green, short: "qv"},
	"zipinfo": {tier: Green, short: "12smlhtvzTC"}, "bc": {tier: Green, short: "lqsi", long: "mathlib quiet standard"},
	"lsof":   {tier: Green, short: "abcCdefFg:hi:lLnNoOp:PRs:tTu:UvwX", shape: lazyre.MustCompile(`^[46]?(?:(?i:tcp|udp))?@?[A-Za-z0-9_.*-]*(?::[0-9A-Za-z,*-]+)?$`)},
	"locale": {tier: Green, short: "acmk", text: false, max: 1},
}
