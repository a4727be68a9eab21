package policy

// tableText are commands that make another text of what they read or are told.
var tableText = map[string]grammar{
	"grep":   {tier: Green, short: "A:abB:cC:De:Ef:FGhHiIlLm:noPqrRsTUvVwxyzZ", long: "after-context= before-context= context= count color color= colour colour= regexp= file= extended-regexp fixed-strings basic-regexp perl-regexp with-filename no-filename ignore-case no-ignore-case files-with-matches files-without-match max-count= line-number only-matching quiet silent recursive dereference-recursive no-messages invert-match word-regexp line-regexp include= exclude= exclude-dir= text null byte-offset label= line-buffered initial-tab binary-files=", digits: true, first: true, given: "ef", tree: "rR"},
	"sort":   {tier: Green, short: "bcCdfghik:MmnRrS:st:uVz", long: "parallel= buffer-size= ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse sort= version-sort check key= merge stable field-separator= unique zero-terminated debug", slash: true},
	"uniq":   {tier: Green, short: "cdDf:is:uw:z", long: "count repeated all-repeated skip-fields= ignore-case skip-chars= unique check-chars= zero-terminated", max: 1, second: true, digits: true},
	"cut":    {tier: Green, short: "b:c:d:f:nsz", long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated", slash: true},
	"paste":  {tier: Green, short: "d:sz", long: "delimiters= serial zero-terminated", slash: true},
	"join":   {tier: Green, short: "a:e:ij:o:t:v:12z", long: "ignore-case header check-order nocheck-order", slash: true},
	"tr":     {tier: Green, text: true},
	"rev":    {tier: Green},
	"fold":   {tier: Green, short: "bsw:", long: "bytes spaces width=", digits: true},
	"fmt":    {tier: Green, short: "cstuw:p:g:", long: "width= goal= split-only uniform-spacing", digits: true},
	"column": {tier: Green, short: "tJs:o:c:xnN:R:H:", long: "json table-name= table table-order= table-hide= separator= output-separator= table-columns= table-right= fillrows", slash: true},
	"pr":     {tier: Green, short: "adDFfh:Jl:mn:N:o:rS:s:tTvw:W:", long: "columns= across double-space form-feed header= length= merge number-lines omit-header omit-pagination page-width= width=", digits: true},
	"sdiff":  {tier: Green, short: "sw:iEbWBatld", long: "suppress-common-lines width= ignore-case ignore-all-space ignore-space-change ignore-blank-lines text left-column minimal strip-trailing-cr"},
	"look":   {tier: Green, short: "adft:", long: "alternative alphanum ignore-case", first: true},
	"tsort":  {tier: Green}, "crc32": {tier: Green}, "colordiff": {tier: Green, short: "abBiNqrswuy", long: "brief unified side-by-side recursive", enters: true},
	"pathchk": {tier: Green, short: "pP", long: "portability", text: true},
	"expand":  {tier: Green, short: "it:", long: "initial tabs=", digits: true}, "unexpand": {tier: Green, short: "at:", digits: true},
	"jq":     {tier: Green, short: "cCeMnrRsSaj", long: "raw-output compact-output exit-status null-input raw-input slurp sort-keys monochrome-output color-output ascii-output join-output tab stream arg argjson args jsonargs seq unbuffered slurpfile rawfile", first: true},
	"numfmt": {tier: Green, long: "from= to= suffix= padding= field= header grouping delimiter= format= round= invalid=", text: false},
	"iconv":  {tier: Green, short: "cf:lt:s", long: "from-code= to-code= list silent", slash: true},
	"shuf":   {tier: Green, short: "ei:n:rz", long: "echo head-count= input-range= repeat"},
}

// tableWords are commands that print what they are told, find out whether something is so, or move about.
var tableWords = map[string]grammar{
	"seq":      {tier: Green, text: true},
	"factor":   {tier: Green, text: true},
	"expr":     {tier: Green, text: true},
	"echo":     {tier: Green, text: true},
	"printf":   {tier: Green, text: true},
	"true":     {tier: Green, text: true},
	"false":    {tier: Green, text: true},
	"printenv": {tier: Red, text: true}, // names that tell nothing are in readForms
	"yes":      {tier: Green, text: true},
	"sleep":    {tier: Green, text: true},
	"pwd":      {tier: Green, short: "LP", max: 1},
	"cd":       {tier: Green, max: 1},
	"exit":     {tier: Green, max: 1},
	":":        {tier: Green, text: true},
	"which":    {tier: Green, short: "a"},
	"basename": {tier: Green, short: "as:z", long: "multiple suffix= zero", text: true},
	"dirname":  {tier: Green, short: "z", text: true},
	"test":     {tier: Green},
	"[":        {tier: Green},
}
