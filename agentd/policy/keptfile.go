package policy

import (
	"slices"
	"strings"
)

// keptMarks stand behind a name, after a dot, a dash, an underscore, a comma or a space, when somebody keeps an older
// or another copy of a file: by hand, by an editor, by a packager, or packed.
var keptMarks = strings.Fields("bak backup back bkp old orig original save saved sav prev previous last copy new tmp temp off disabled inactive txt v " +
	"dpkg ucf dpkg-dist ucf-dist rpmsave rpmnew rpmorig swp swo swn swm swl gz bz bz2 xz zst lzma lz lz4 z zip tar tgz 7z")

// keptPrefixes stand before it.
var keptPrefixes = []string{".#", "copy of ", "copy_of_", "old-", "old_", "old.", "backup-", "backup_", "backup.", "bak-", "bak_", "bak."}

const (
	keptJoins = "-_., "
	keptTail  = "0123456789-_.:~#()+ " // numbers, dates, and what editors put behind
)

// keptNames gives a name in lower case and every name that it may be a kept copy of: .env for .env~, #.env# and .env_old,
// wp-config.php for wp-config.bak.php. Each is shorter than the one before it.
func keptNames(base string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for base != "" && yield(base) {
			base = keptOf(base)
		}
	}
}

// keptOf takes one thing away that says that a file is a kept copy; empty when there is none.
func keptOf(base string) string {
	if name := unmarked(base); name != base {
		return name
	}
	if at := strings.LastIndexByte(base, '.'); at > 0 {
		if stem := unmarked(base[:at]); stem != base[:at] && stem != "" {
			return stem + base[at:]
		}
	}
	for _, p := range keptPrefixes {
		if name, ok := strings.CutPrefix(base, p); ok {
			return name
		}
	}
	if name := strings.TrimLeft(base, "#~$_ "); name != base {
		return name
	}
	if name, ok := strings.CutPrefix(base, "."); ok { // the swap file of an editor has a dot before the whole name
		return name
	}
	return ""
}

// unmarked is a name without the numbers and signs behind it or, when there are none, without one mark.
func unmarked(name string) string {
	if cut := strings.TrimRight(name, keptTail); cut != name {
		return cut
	}
	at := strings.LastIndexAny(name, keptJoins)
	if at > 0 && slices.Contains(keptMarks, name[at+1:]) {
		return name[:at]
	}
	return name
}
