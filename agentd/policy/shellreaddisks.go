package policy

import "gatehouse/agentd/lazyre"

// readsDisks tell of disks, arrays, volumes and file systems.
var readsDisks = map[string][]readForm{
	"blkid":  {{"", flagsOnly("ko:s:", "output= match-tag=")}},
	"swapon": {{"--show|-s|--summary", grammar{tier: Green, long: "show= bytes noheadings raw", words: map[string]Tier{}}}},
	"fdisk":  {{"-l|-x|--list|--list-details", diskTables}}, "sfdisk": {{"-l|-x|-V|--list|--verify", diskTables}},
	"smartctl": {{"--scan", nothing}, {"", smartReads}},
	"mdadm":    {{"--detail|-D|--query|-Q|-Ds|-Dsv|-Db|--examine|-E", grammar{tier: Green, long: "scan brief verbose export", short: "vbs", shape: lazyre.MustCompile(`^/dev/(?:md[0-9a-z_/-]+|sd[a-z]{1,2}[0-9]*|nvme[0-9]+n[0-9]+(?:p[0-9]+)?)$`)}}},
	"zfs":      {{"list", grammar{tier: Green, short: "o:t:rHpd:s:S:", shape: dataset}}, {"get", grammar{tier: Green, short: "rHpd:o:s:t:", shape: dataset}}, {"version", nothing}},
	"zpool":    {{"list|status|iostat|history", grammar{tier: Green, short: "vxLPHpo:T:gilqrwny", shape: dataset}}, {"get", grammar{tier: Green, short: "Hpo:", shape: dataset}}, {"version", nothing}},
	"pvs":      {{"", volumeLists}}, "vgs": {{"", volumeLists}}, "lvs": {{"", volumeLists}},
	"pvdisplay": {{"", named("cmsv", "short colon maps")}}, "vgdisplay": {{"", named("csv", "short colon")}}, "lvdisplay": {{"", named("cmv", "colon maps")}},
	"btrfs": {{"filesystem usage|filesystem df|filesystem show|fi usage|fi df|fi show|subvolume list|device stats|scrub status", grammar{tier: Green, short: "bhHkmgtTopcudas", shape: lazyre.MustCompile(`^/(?:[A-Za-z0-9_.-]+/?)*$`)}}},
}

var (
	// dataset is the name of a pool, of what is in it, or of a property of it.
	dataset = lazyre.MustCompile(`^[A-Za-z0-9_.:,@%/-]+$`)
	// volumeLists print fields; all that they are asked for stands behind -o.
	volumeLists = named("ao:O:vS:", "all options= sort= noheadings units= nosuffix separator= readonly nameprefixes segments aligned")
	// diskTables are how disks are divided.
	diskTables = grammar{tier: Green, short: "lx", long: "bytes", shape: lazyre.MustCompile(`^/dev/(?:sd[a-z]{1,2}|vd[a-z]|nvme[0-9]+n[0-9]+|md[0-9]+)$`)}
	// smartReads tell of a disk what it has noted of itself; tests and settings have flags of their own.
	smartReads = grammar{tier: Green, short: "HiAacxj", long: "health info attributes all capabilities xall json scan", word: words("-l error selftest"), shape: lazyre.MustCompile(`^/dev/(?:sd[a-z]{1,2}|nvme[0-9]+(?:n[0-9]+)?)$`)}
)
