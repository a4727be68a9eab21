package policy

import "strings"

// tar lists archives; it may make one; everything else is red.
func (j *judge) tar(args []arg) {
	list, prints := false, false
	create := tarCreates(args)
	archive := -1
	for i, a := range args {
		flags := strings.TrimPrefix(a.text, "-")
		switch {
		case strings.HasPrefix(a.text, "--"):
			list = list || a.text == "--list"
			if a.text == "--file" {
				archive = i + 1
			}
			j.tarLong(a)
		case a.text != flags || i == 0:
			shows := strings.Contains(flags, "x") && strings.Contains(flags, "O") // to where it prints
			list = list || strings.Contains(flags, "t") || shows
			if prints = prints || shows; shows {
				flags = strings.NewReplacer("x", "", "O", "").Replace(flags)
			}
			if strings.Trim(flags, "tcvzjJf") != "" || strings.Count(flags, "f") > 1 || !a.fixed {
				j.raise(Red, "It unpacks, or does what the gate does not understand.")
			}
			if at := strings.IndexByte(flags, 'f'); at >= 0 {
				archive = i + 1
				if strings.HasPrefix(a.text, "-") && at+1 < len(flags) {
					j.raise(Red, "The name of the archive does not stand apart.")
				}
			}
		default:
			j.path(a, create, nil)
			j.packed(a, i == archive)
		}
	}
	if prints {
		j.members(operandsOf(args[1:]))
		j.ownArchive(args, archive)
	}
	if create {
		j.raise(Yellow, "It writes an archive.")
	} else if !list {
		j.raise(Red, "It unpacks.")
	}
}

// tarCreates says whether tar shall make an archive, wherever it is told so.
func tarCreates(args []arg) bool {
	return len(args) > 0 && !strings.HasPrefix(args[0].text, "-") && strings.Contains(args[0].text, "c") ||
		anyWord(args, func(w string) bool { return w == "--create" || shortFlag(w, "c") })
}

// ownArchive refuses to print unasked what comes from elsewhere than a file of the data folder, which is asked about when
// it is there: the name of a member may be that of a folder, and what is in that has names that nobody saw.
func (j *judge) ownArchive(args []arg, at int) {
	if at >= 0 && at < len(args) && args[at].text != "-" {
		if _, _, ok := Rel(j.abs(args[at].text), j.env); ok {
			return
		}
	}
	j.raise(Red, "It prints what is in an archive that has no name.")
}

// packed notes an operand of tar: the archive, or what goes into it with all that is in it.
func (j *judge) packed(a arg, archive bool) {
	switch {
	case strings.Contains(a.text, ":"):
		j.raise(Red, "It may reach another machine.")
	case archive:
		j.lost(a.text)
	default:
		j.trees = append(j.trees, j.abs(a.text))
	}
}

func (j *judge) tarLong(a arg) {
	switch name, _, _ := strings.Cut(a.text, "="); name {
	case "--file":
		_, value, has := strings.Cut(a.text, "=")
		if !has {
			return // it is the next word
		}
		j.path(arg{text: value, fixed: a.fixed}, true, nil)
		j.packed(arg{text: value, fixed: a.fixed}, true)
	case "--list", "--create", "--verbose", "--gzip", "--bzip2", "--xz", "--zstd", "--exclude", "--wildcards", "--no-wildcards", "--full-time", "--numeric-owner", "--utc":
	default:
		j.raise(Red, "The gate does not understand the flag "+visible(a.text)+" here.")
	}
}
