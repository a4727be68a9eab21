package policy

import "gatehouse/agentd/lazyre"

// tableMachine are commands that tell of the machine and of what runs on it.
var tableMachine = map[string]grammar{
	"df":          {tier: Green, short: "aB:hHiklmPt:Tx:", long: "all block-size= human-readable si inodes local portability print-type type= exclude-type= total output output= sync no-sync", outside: []string{"/", "/home", "/var", "/tmp", "/boot", "/opt", "/srv"}},
	"free":        {tier: Green, short: "bkmghltws:c:v", long: "bytes kilo mega giga kibi mebi gibi human lohi total wide si seconds= count="},
	"uptime":      {tier: Green, short: "psV", long: "pretty since", max: 1},
	"ps":          {tier: Green, short: "AaCcdefFgGHhjlLmMNnoOpqrsStTuUVvwxyZ", long: "sort= forest no-headers headers cols= columns= rows= lines= pid= ppid= user= format= deselect", text: false},
	"pgrep":       {tier: Green, short: "acd:fg:G:ilnoP:r:s:t:u:U:vwx", long: "list-name list-full count full newest oldest exact inverse", first: true},
	"pidof":       {tier: Green, short: "sx"},
	"pstree":      {tier: Green, short: "acghlnpstuUZA"},
	"top":         {tier: Green, short: "bcd:Hin:o:p:su:w:1eE:"},
	"vmstat":      {tier: Green, short: "adfmnsS:tDwV", long: "active stats disk wide timestamp unit="},
	"iostat":      {tier: Green, short: "cdhkmNptxyz"},
	"mpstat":      {tier: Green, short: "APuV"},
	"nproc":       {tier: Green, long: "all ignore="},
	"lscpu":       {tier: Green, short: "aebcJpxy", long: "all extended parse json online offline"},
	"lsblk":       {tier: Green, short: "abdDefiJlmnoOpPrsStTxz", long: "all bytes nodeps fs json list output= output-all paths noheadings tree"},
	"findmnt":     {tier: Green, short: "aDflJnlruhkmsit:T:S:M:o:O:vbPUyx", long: "all df json list noheadings raw types= output= source= target= mountpoint= real pseudo evaluate bytes pairs fstab mtab kernel first-only submounts invert verify verbose", shape: mountWord},
	"lspci":       {tier: Green, short: "vnkmt"},
	"lsusb":       {tier: Green, short: "vt"},
	"lsmem":       {tier: Green, short: "abJPrno:s:", long: "all bytes json pairs raw noheadings output= split= summary summary=", words: map[string]Tier{}},
	"uname":       {tier: Green, short: "amnoprsvi", long: "all kernel-name nodename kernel-release kernel-version machine processor operating-system", max: 1},
	"lsb_release": {tier: Green, short: "acdirsv", long: "all codename description id release short version", max: 1},
	"arch":        {tier: Green}, "tty": {tier: Green, short: "s"}, "logname": {tier: Green}, "whoami": {tier: Green},
	"hostname":    {tier: Green, short: "aAdfiIsy", long: "fqdn ip-address all-ip-addresses short domain long", words: map[string]Tier{}},
	"hostnamectl": {tier: Green, long: "static pretty transient json=", words: map[string]Tier{"status": Green, "set-hostname": CriticalRed, "hostname": Red}},
	"timedatectl": {tier: Green, short: "ap:", long: "property= value all no-pager", names: true, verb: true, words: map[string]Tier{"status": Green, "show": Green, "list-timezones": Green, "timesync-status": Green, "show-timesync": Green, "set-time": CriticalRed, "set-timezone": Red, "set-ntp": Red}},
	"cal":         {tier: Green, short: "13jmsyw"}, "ncal": {tier: Green, short: "13jmwyMSbhp"},
	"id":      {tier: Green, short: "agGnruzZ", long: "group groups name real user zero"},
	"groups":  {tier: Green},
	"who":     {tier: Green, short: "abdHlmpqrstTu", long: "all boot heading count", max: 2},
	"w":       {tier: Green, short: "fhiosu", long: "no-header short from", max: 1},
	"users":   {tier: Green, max: 1},
	"last":    {tier: Green, short: "aFiRwxn:", long: "limit= fulltimes since= until=", digits: true},
	"dmesg":   {tier: Green, short: "dehHkltTuxrPLl:f:", long: "human level= facility= ctime kernel userspace reltime nopager decode since= until= time-format=", max: 1},
	"ss":      {tier: Green, short: "aehilmnopstuwx460H", long: "all listening numeric processes tcp udp unix summary extended memory info no-header ipv4 ipv6"},
	"netstat": {tier: Green, short: "aegilnoprstuvWx46c"},
	"sar":     {tier: Green, short: "AbBdFhHqrRSuvwWyP:n:", shape: lazyre.MustCompile(`^(?:[0-9]+|[A-Z]+)$`)},
	"bat":     {tier: Green, short: "pnAl:r:", long: "plain number style= language= line-range= color= decorations="},
	"journalctl": {tier: Green, digits: true, short: "abefklmn:o:p:qrt:u:xS:U:g:N", long: "unit= user-unit= since= until= lines= lines no-pager reverse follow boot boot= priority= output= grep= case-sensitive dmesg identifier= no-hostname utc catalog all full quiet list-boots disk-usage fields header output-fields= no-full system", names: true, words: map[string]Tier{}, raise: map[string]Tier{
		"--vacuum-size": CriticalRed, "--vacuum-time": CriticalRed, "--vacuum-files": CriticalRed, "--rotate": Red, "--flush": Red, "--sync": Red, "--setup-keys": Forbidden, "--update-catalog": Red,
	}},
	"systemctl": {tier: Green, short: "afln:o:p:qrt:s:", long: "all full lines= output= property= quiet type= state= no-pager failed plain no-legend recursive reverse value system user show-types after before no-ask-password", names: true, verb: true, words: systemctlVerbs, raise: map[string]Tier{
		"--root": Forbidden, "--image": Forbidden, "-H": Forbidden, "--host": Forbidden, "-M": Forbidden, "--machine": Forbidden, "--force": CriticalRed, "-f": Red,
	}},
	"ip": {tier: Green, short: "046sdhjoprbc", long: "brief json oneline stats details pretty", words: map[string]Tier{
		"a": Green, "addr": Green, "address": Green, "l": Green, "link": Green, "r": Green, "ro": Green, "route": Green, "n": Green, "neigh": Green, "neighbor": Green,
		"rule": Green, "show": Green, "get": Green, "list": Green, "ls": Green, "dev": Green, "lo": Green, "eth0": Green, "ens3": Green, "default": Green,
		"add": CriticalRed, "del": CriticalRed, "delete": CriticalRed, "set": CriticalRed, "change": CriticalRed, "replace": CriticalRed, "flush": CriticalRed,
		"up": CriticalRed, "down": CriticalRed, "exec": Forbidden,
	}},
}

// mountWord names what is mounted, and where: it is compared with the list of that, and not opened.
var mountWord = lazyre.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)
