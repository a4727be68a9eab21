package policy

import "testing"

func TestLeft_Short(t *testing.T) {
	t.Parallel()
	large := Disk{Free: 50_000_000_000, Total: 100_000_000_000}
	full := func(free int64) Disk { return Disk{Free: free, Total: large.Total} }
	write, read := Class{Tier: Yellow, Action: "files.file.write"}, Class{Tier: Green, Action: "files.file.read"}
	deletes := FileDelete("tmp/old.tmp", Env{Root: "/data"})
	for name, tt := range map[string]struct {
		left     Left
		call     Class
		programs bool
		want     string
	}{
		"enough":                     {Left{large, large, 1 << 30}, write, true, ""},
		"nothing is known":           {Left{}, write, true, ""},
		"at the floor":               {Left{full(256_000_000), full(256_000_000), 32_000_000}, write, true, ""},
		"no room for records":        {Left{full(255_999_999), large, 1 << 30}, write, false, "the disk of the records"},
		"no room for files":          {Left{large, full(255_999_999), 1 << 30}, write, false, "the disk of the files"},
		"a full disk is no reason":   {Left{full(0), full(0), 1 << 30}, read, true, ""},
		"a twentieth of a small one": {Left{Disk{100_000, 2_000_000}, Disk{100_000, 2_000_000}, 0}, write, false, ""},
		"less of a small one":        {Left{Disk{99_999, 2_000_000}, large, 0}, write, false, "the disk of the records"},
		"deleting makes room":        {Left{full(32_000_000), full(0), 1 << 30}, deletes, false, ""},
		"deleting leaves a receipt":  {Left{full(31_999_999), full(0), 1 << 30}, deletes, false, "the disk of the records"},
		"no memory":                  {Left{large, large, 31_999_999}, write, false, "memory"},
		"no memory to read with":     {Left{large, large, 31_999_999}, read, true, "memory"},
		"no memory, none needed":     {Left{large, large, 31_999_999}, read, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, short := tt.left.Short(tt.call, tt.programs)
			if got.What != tt.want || short != (tt.want != "") {
				t.Errorf("short of %q (%v), want %q", got.What, short, tt.want)
			}
			if short && got.Left >= got.Kept {
				t.Errorf("%d are left and %d stay free", got.Left, got.Kept)
			}
		})
	}
}
