package demo

import (
	"fmt"
	"time"
)

// leftovers are what the scanner and the export left in tmp, months ago, and one upload that is still going on; none is
// longer than most bytes. Their names do not depend on the day, so that they can be put back.
func leftovers(most int) []File {
	var all []File
	for i := range 9 {
		all = append(all, File{Path: fmt.Sprintf("tmp/scan-%04d.tmp", 118+i), Age: time.Duration(40+11*i) * day, Body: noise("scan", i, min(most, (160+37*i)<<10))})
	}
	for i := range 5 {
		all = append(all, File{Path: fmt.Sprintf("tmp/export-%04d.tmp", 31+i), Age: time.Duration(60+30*i) * day, Body: noise("export", i, min(most, (90+21*i)<<10))})
	}
	return append(all, File{Path: "tmp/upload.part", Age: time.Hour, Body: noise("upload", 0, min(most, 48<<10))})
}

// noise is n bytes that look like the inside of a scan on its way by mail: lines of base64.
func noise(what string, i, n int) []byte {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	r, b := dice(what, i), make([]byte, n)
	for at := range b {
		b[at] = letters[r.IntN(len(letters))]
		if at%77 == 76 || at == n-1 {
			b[at] = '\n'
		}
	}
	return b
}
