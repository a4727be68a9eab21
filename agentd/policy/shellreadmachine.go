package policy

import "gatehouse/agentd/lazyre"

// flagsOnly is the grammar of flags with their values, and no further word.
func flagsOnly(short, long string) grammar {
	return grammar{tier: Green, short: short, long: long, words: map[string]Tier{}}
}

// readsMachine tell of hardware, kernel and processes.
var readsMachine = map[string][]readForm{
	"lshw":      {{"", grammar{tier: Green, word: words("-short -class -C -c -json -xml -html -businfo -sanitize -numeric -quiet -notime"), words: map[string]Tier{}, names: true}}},
	"dmidecode": {{"", named("t:s:qu", "type= string= quiet no-sysfs")}},
	"lsmod":     {{"", nothing}}, "modinfo": {{"", named("", "")}}, "sensors": {{"", named("jfuA", "fahrenheit no-adapter")}}, "hostid": {{"", nothing}},
	"sysctl":              {{"", grammar{tier: Green, short: "anNeb", long: "all values names pattern= ignore", shape: lazyre.MustCompile(`^[a-z0-9_]+([./][A-Za-z0-9_*-]+)*$`)}}, {"-a --pattern *|--pattern *", flagsOnly("anNe", "all")}},
	"systemd-detect-virt": {{"", flagsOnly("cvqr", "container vm chroot quiet list")}},
	"getconf":             {{"", named("a", "")}}, "stty": {{"-a|size|speed", nothing}}, "tput": {{"cols|lines|colors", nothing}},
	"uuidgen": {{"", flagsOnly("rt", "random time")}}, "mktemp": {{"-u|--dry-run", grammar{tier: Green, short: "dqt", max: 1}}},
	"printenv": {{"LANG|PATH|HOME|TZ|TERM|USER|SHELL|LC_ALL|PWD", nothing}}, "command": {{"-v|-V", programNames}}, "type": {{"", grammar{tier: Green, short: "atpP", shape: programName}}},
	"whereis": {{"", grammar{tier: Green, short: "bms", shape: programName}}}, "man": {{"-w|--where|--path|-k|-f|--apropos|--whatis", programNames}}, "whatis": {{"", programNames}}, "apropos": {{"", programNames}},
	"pidstat": {{"", named("dhHIlrRsuvwp:C:tU", "human dec=")}},
	"fuser":   {{"", grammar{tier: Green, short: "vauscmn:46"}}},
	"ulimit":  {{"", flagsOnly("HSacdefilmnpqrstuvx", "")}},
	"prlimit": {{"", nothing}, {"-p *|--pid *", flagsOnly("", "noheadings raw")}},
	"chrt":    {{"-p", numbersOnly}}, "taskset": {{"-p|-cp|-pc|-c -p|-p -c", numbersOnly}}, "numactl": {{"--hardware|-H|--show|-s", nothing}},
	"lsns": {{"", named("Jlno:p:rt:uW", "json list noheadings output= task= type= raw")}}, "lsipc": {{"", named("mqsglcJbnrP", "shmems queues semaphores global json list bytes")}}, "lslocks": {{"", named("Jnbop:r", "json noheadings bytes pid= raw")}},
	"ldconfig": {{"-p|--print-cache", nothing}},
	"udevadm":  {{"info", grammar{tier: Green, short: "q:n:p:ax", long: "query= name= path= attribute-walk export value property=", shape: lazyre.MustCompile(`^(?:[a-z-]+|/(?:dev|sys)/[A-Za-z0-9/_.:-]+)$`)}}},
}

var (
	// programNames are the grammar of names of programs.
	programNames = grammar{tier: Green, shape: programName}
	// numbersOnly is the grammar of one number, of a process.
	numbersOnly = grammar{tier: Green, digitsOnly: true, max: 1}
)
