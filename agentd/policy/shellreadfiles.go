package policy

import "gatehouse/agentd/lazyre"

// readsFiles print packed files and archives, and tell of files.
var readsFiles = map[string][]readForm{
	"gzip":   {{"-l|-t|-lv|-tv|-dc|-cd|-c|--list|--test|--stdout", gzipReads}, {"-d -c|-c -d|-k -c|-9 -c|-d --stdout", gzipReads}},
	"gunzip": {{"-c|-l|-t|--stdout|--list|--test", gzipReads}},
	"bzip2":  {{"-dc|-cd|-c", gzipReads}, {"-t|-tv|--test", packedTells}},
	"xz":     {{"-dc|-cd|-c", gzipReads}, {"-t|-l|-tv|-lv|--list|--test", packedTells}},
	"zstd":   {{"-dc|-cd", gzipReads}, {"-l|-t|-lv|-tv|--list|--test", packedTells}},
	"unzip":  {{"-l|-v|-t|-Z|-Z1|-lv|-tq|-p", grammar{tier: Green, short: "qv1C"}}},
	"7z":     archiveLists, "7za": archiveLists, "7zr": archiveLists, "7zz": archiveLists,
	"getfacl": {{"", grammar{tier: Green, short: "acdeEsRLPtpn", long: "access default omit-header effective numeric absolute-names recursive tabular", tree: "R"}}},
	"lsattr":  {{"", grammar{tier: Green, short: "RVadlpv", tree: "R"}}}, "namei": {{"", grammar{tier: Green, short: "xmlovn", long: "long modes owners mountpoints vertical nosymlinks"}}},
	"getcap":   {{"", grammar{tier: Green, short: "rnv", tree: "r"}}},
	"readelf":  {{"", binaryReads("ahlStegsnrudVADIWx:p:R:", "all file-header program-headers section-headers headers syms symbols dynamic notes relocs version-info wide")}},
	"objdump":  {{"", binaryReads("afphHxdDsgGtTrRCwM:j:", "archive-headers file-headers all-headers private-headers section-headers disassemble syms dynamic-syms full-contents reloc demangle")}},
	"nm":       {{"", binaryReads("aABCDfgnopPrSsuU", "dynamic demangle extern-only undefined-only defined-only numeric-sort size-sort")}},
	"size":     {{"", binaryReads("ABdoxt", "format= totals")}},
	"dos2unix": {{"-i|-ic|-id|-iu|--info", grammar{tier: Green}}}, "unix2dos": {{"-i|-ic|-id|-iu|--info", grammar{tier: Green}}},
	"fd": {{"", findsByName}}, "fdfind": {{"", findsByName}},
}

var (
	gzipReads = grammar{tier: Green, short: "cdklqtvfn", long: "stdout decompress list test verbose quiet keep"}
	// packedTells lets no -d stand behind -t and -l: of these flags the last one counts.
	packedTells = grammar{tier: Green, short: "cklqtv", long: "stdout list test verbose quiet keep"}
	// archiveLists list what is in an archive. A word that begins with @ names a file with more words.
	archiveLists = []readForm{
		{"l", grammar{tier: Green, word: words("-slt -ba -bd -r"), never: moreWords}},
		{"t", grammar{tier: Green, word: words("-bd -r"), never: moreWords}},
	}
	moreWords   = lazyre.MustCompile(`^@`)
	findsByName = grammar{tier: Green, first: true, short: "e:t:d:HIsiaFgE:S:0p", long: "extension= type= max-depth= min-depth= hidden no-ignore glob fixed-strings absolute-path exclude= size= changed-within= changed-before= full-path ignore-case case-sensitive print0"}
)

// binaryReads is the grammar of the programs that take files of machine code apart. The flags are left out with which
// they open the source files that such a file names.
func binaryReads(short, long string) grammar {
	return grammar{tier: Green, short: short, long: long, never: moreWords}
}
