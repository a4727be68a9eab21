package egress

import (
	"slices"
	"sync"
)

// identityKinds are the numbers of all states that are known here.
var identityKinds = sync.OnceValue(func() []identity { return slices.Concat(american, asian, european) })

const (
	ssnWords = `ssn|ss #|ss#|ss no|the social$|social number|social sec|soc sec|soc. sec|soc.sec|soc$|seguro social|social is`
	chinaID  = `身份证|身份證|公民身份|resident id|identity|shenfenzheng`
)

// american are the numbers of the states of both Americas.
var american = []identity{
	{SSN, `999-99-9999|999 99 9999|999.99.9999`, ssnHolds, ssnWords, rare},
	{SSN, `999999999|999/99/9999|999--99--9999`, ssnHolds, ssnWords, weak},
	{NationalID, `999_99_9999`, itinHolds, `itin|taxpayer|tax id`, weak},
	{NationalID, `99-9999999`, always, `EIN$|employer id|federal tax|fein$`, shared},
	{NationalID, `9AX9AX9AA99|9AX9-AX9-AA99|9AX9 AX9 AA99`, mbi, `medicare|mbi$|beneficiary`, rare},
	{NationalID, `999_999_999`, sin, `SIN$|social insurance|assurance sociale|n.a.s|NAS$`, checked},
	{NationalID, `9999-999-999|9999 999 999|9999999999|9999-999-999-AA`, ontario, `ohip|health card|health insurance number|carte santé`, checked},
	{NationalID, `AAAA 9999 9999|AAAA99999999`, always, `ramq|assurance maladie|carte soleil`, weak},
	{NationalID, `AAAA999999AAAAAAX9`, curp, `curp`, rare},
	{NationalID, `AAAA999999XXX|AAAA-999999-XXX`, rfc, `rfc$|registro federal`, checked},
	{NationalID, `99999999999|99-99-99-9999-9|99 99 99 9999 9`, luhn, `imss|número de seguro|NSS$`, checked},
	{NationalID, `999.999.999-99|999 999 999 99|999.999.999.99`, cpf, `cpf`, rare},
	{NationalID, `99999999999|999999999-99`, cpf, `cpf`, checked},
	{NationalID, `99.999.999-X|999999999`, always, `RG$|registro geral|carteira de identidade|identidade`, weak},
	{NationalID, `99999999999|999.99999.99-9`, pis, `PIS$|pasep|NIS$|NIT$|pis/`, checked},
	{NationalID, `99-99999999-9|99 99999999 9|99999999999`, cuil, `cuil|cuit`, checked},
	{NationalID, `99.999.999|99999999`, always, `dni$|documento nacional`, weak},
	{NationalID, `99.999.999-X|9.999.999-X|99999999-X|9999999-X|99 999 999-X`, rut, `RUT$|RUN$|r.u.t|rol único`, checked},
	{NationalID, `9.999.999.999|99.999.999|9999999999|99999999`, always, `cédula de ciud|cedula de ciud|cédula ciud|c.c.|cédula no|cédula n|cédula`, weak},
	{NationalID, `9999999999|999999999-9`, ecuadorian, `cédula|cedula`, checked},
	{NationalID, `A-99999999|A99999999|A-9999999|A 99999999|A-99.999.999`, venezuelan, `cédula|cedula|c.i.`, weak},
	{NationalID, `9.999.999-9|9999999-9`, uruguayan, `cédula|cedula|c.i.|documento`, checked},
	{NationalID, `9-9999-9999`, always, `cédula|cedula`, weak},
}

// asian are the numbers of the states of Asia, Africa and Oceania.
var asian = []identity{
	{NationalID, `9999_9999_9999`, aadhaar, `aadhaar|aadhar|uidai|आधार`, checked},
	{NationalID, `AAAAA9999A|AAAAA 9999 A`, pan, `PAN$|permanent account|income tax`, weak},
	{NationalID, `AAA9999999`, always, `voter|EPIC$`, weak},
	{NationalID, `99999-9999999-9`, pakistani, `cnic|nadra|NIC$`, rare},
	{NationalID, `999999999A|999999999999`, always, `NIC$|nic no|sri lanka`, weak},
	{NationalID, `999999999999999999|99999999999999999A`, chinese, chinaID, rare},
	{NationalID, `999999 99999999 999X`, chinese, chinaID, rare},
	{NationalID, `A999999(9|A999999(A|AA999999(9|AA999999(A|A9999999|A999999A`, hongKong, `hkid|hong kong id|身份證|香港`, checked},
	{NationalID, `A999999999`, taiwanese, `身分證|身份證|taiwan|統一編號|national id|ARC$`, checked},
	{NationalID, `9999_9999_9999`, myNumber, `マイナンバー|個人番号|my number|mynumber|my-number`, checked},
	{NationalID, `999999-9999999`, korean, `주민|resident|rrn$`, rare},
	{NationalID, `9-9999-99999-99-9|9 9999 99999 99 9`, thai, `บัตรประชาชน|ประจำตัวประชาชน|thai id|national id`, rare},
	{NationalID, `9999999999999`, thai, `บัตรประชาชน|ประจำตัวประชาชน|เลขประจำ|thai id|thai national`, checked},
	{NationalID, `9999999999999999|999999 999999 9999`, nik, `nik$|nik:|ktp$|kartu tanda|nomor induk`, weak},
	{NationalID, `999999-99-9999|999999999999`, malaysian, `mykad|ic no|ic num|ic:|nric|kad pengenalan|no. kp|no kp`, weak},
	{NationalID, `999999999999|999999999|999 999 999 999`, always, `cccd|căn cước|cmnd|can cuoc|chứng minh`, weak},
	{NationalID, `9999-9999999-9|99-9999999-9|999-999-999|999-999-999-999`, always, `sss no|sss num|philhealth|pagibig|pag-ibig|tin:`, weak},
	{NationalID, `A9999999A`, nric, `nric|FIN$|fin no|identity|singpass`, checked},
	{NationalID, `999999999|99999999-9|9-9999999-9`, israeli, `teudat|zehut|תעודת זהות|ת.ז|ת״ז|israeli id|מספר זהות`, checked},
	{NationalID, `999-9999-9999999-9|999999999999999|999 9999 9999999 9`, emirati, `emirates id|الهوية|EID$`, rare},
	{NationalID, `9999999999`, saudi, `iqama|الهوية|هوية|saudi|national id`, checked},
	{NationalID, `99999999999999`, egyptian, `الرقم القومي|national id|egypt`, checked},
	{NationalID, `9999999999|999-999999-9`, iranian, `کد ملی|کدملی|melli`, checked},
	{NationalID, `999999999999`, kazakh, `иин|жсн|IIN$`, checked},
	{NationalID, `99999999999`, always, `NIN$|nin:|national identification number|bvn$|bvn:`, weak},
	{NationalID, `9999999999999`, southAfrican, `id: |id no|id number|identity|sa id|south african`, checked},
	{NationalID, `99999999|9999999`, always, `national id|kenyan id|huduma`, weak},
	{NationalID, `99999999999999|9 9999 9 9999999 9 99|9999999999999999`, always, `indangamuntu|rwanda`, weak},
	{NationalID, `999 999 999|999 999 99|999999999|99999999|999-999-999`, tfn, `tfn$|tfn:|tax file|tfn-`, checked},
	{NationalID, `9999 99999 9|9999999999|9999-99999-9|99999999999|9999 99999 9 9|9999 99999 9/9`, medicare, `medicare`, checked},
	{NationalID, `99_999_999|999_999_999`, ird, `ird$|ird-|ird:|inland revenue`, checked},
	{NationalID, `AAA9999|AAA99AX`, nhi, `nhi$|nhi-|nhi:`, weak},
}
