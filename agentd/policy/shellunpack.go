package policy

import (
	"path"
	"strings"
)

// unpackers print what is packed in a file, and what they do so with. Their words are names of packed files, and most
// know a file without its ending, too.
var unpackers = words("gzip gunzip zcat zgrep zegrep zfgrep zless zmore bzip2 bunzip2 bzcat xz unxz xzcat lzcat lzma unlzma zstd unzstd zstdcat")

// packedEndings stand behind the name of what is packed.
var packedEndings = []string{".gz", ".z", "-gz", "-z", "_z", ".bz2", ".bz", ".xz", ".lzma", ".lz", ".zst", ".zstd", ".zip"}

// Unpacked is the name of what a packed file holds, by its own name.
func Unpacked(name string) string {
	for {
		bare := name
		for _, e := range packedEndings {
			if n := len(bare) - len(e); n > 0 && strings.EqualFold(bare[n:], e) {
				bare = bare[:n]
			}
		}
		if bare == name {
			return name
		}
		name = bare
	}
}

// unpacks judges the files of an unpacker by the names of what is in them, and refuses to unpack unasked what has no
// name at all: the packed file, and not what stands before it in a pipe, says what it holds.
func (j *judge) unpacks(prog string, args []arg) {
	if !unpackers[prog] {
		return
	}
	named := false
	for _, a := range operandsOf(args) {
		named = named || a.text != "-" || !a.fixed
		if bare := Unpacked(a.text); bare != a.text && path.Base(bare) != "" {
			if a.glob {
				j.pattern(bare)
			}
			if why := Protected(j.inRoot(bare), j.env); why != "" {
				j.raise(Forbidden, "The command names a file that may not be touched. "+why)
			}
		}
	}
	if !named && decompresses(prog, args) {
		j.raise(Red, "What it unpacks has no name that tells what it holds.")
	}
}

// inRoot is a path as Protected wants it.
func (j *judge) inRoot(p string) string {
	if rel, _, ok := Rel(j.abs(p), j.env); ok {
		return rel
	}
	return j.abs(p)
}

// decompresses says whether a packer is told to unpack to where it prints.
func decompresses(prog string, args []arg) bool {
	switch prog {
	case "gzip", "bzip2", "xz", "zstd", "lzma":
		return anyWord(args, func(w string) bool {
			return shortFlag(w, "d") || strings.HasPrefix(w, "--d") || strings.HasPrefix(w, "--u")
		})
	}
	return !strings.Contains(prog, "grep") && prog != "zless" && prog != "zmore"
}

// members judges unzip and tar that print what is in an archive: only what is asked for by a name that is written out
// can be judged before it is printed, and only of an archive that is known.
func (j *judge) members(ops []arg) {
	if len(ops) < 2 {
		j.raise(Red, "It prints all that is in an archive.")
	}
	for _, a := range ops {
		if !a.fixed || a.glob || strings.ContainsAny(a.text, "*?[\\") {
			j.raise(Red, "Which part of an archive it prints is only known when it runs.")
		}
	}
}

// unzips judges unzip -p, which knows patterns of its own, whatever the shell leaves of them.
func (j *judge) unzips(prog string, args []arg) {
	if prog == "unzip" && anyWord(args, func(w string) bool { return shortFlag(w, "p") || shortFlag(w, "c") }) {
		j.members(operandsOf(args))
	}
}
