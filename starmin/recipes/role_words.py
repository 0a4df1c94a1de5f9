"""Words of column names and of cells that tell what a column is, in six languages.

English, German, French, Spanish, Italian and Dutch, without accents. A word that ends
with ``*`` is the beginning of one. A topic is what a reason says of the name.
"""

import re
from dataclasses import dataclass

QI, SENSITIVE, OTHER = "qi", "sensitive", "unchanged"
ID, WEIGHT, PERSON, HOUSEHOLD = "drop", "weight", "person", "household"


@dataclass(frozen=True)
class Topic:
    """What names speak of, and the role of such a column."""

    role: str
    said: str  # what the name speaks of
    words: frozenset[str]
    field: str = ""  # of tables that have several such columns


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def _topics(text: str) -> tuple[Topic, ...]:
    """Read topics: a line ``ROLE: WHAT`` or ``ROLE/FIELD: WHAT``, and words below."""
    found = []
    for part in re.split(r"\n(?=\S)", text.strip()):
        head, words = part.split("\n", 1)
        about, said = head.split(": ")
        role, _, field = about.partition("/")
        found.append(Topic(role, said, words_in(words), field))
    return tuple(found)


TOPICS = _topics(
    """
drop: who it is
    name names surname lastname firstname fullname forename nachname vorname nom prenom
    nombre apellido* cognome nome naam achternaam voornaam email mail note notes
    comment* remark* bemerkung* commentaire* observacion* opmerking* telefon* telephone
    phone mobile handy telefono telefoon fax ssn iban passport passnummer pasaporte
    passaporto paspoort license licence address adresse anschrift direccion indirizzo
    adres street strasse straat rue calle via nif nir dni bsn codicefiscale steuernummer
    versichertennummer login username ip url rownum rowid uuid guid
weight: a sampling weight
    pwgtp wgtp pwgt hwgt perwt perweight pweight hweight hhweight fnlwgt finalwgt
    finalwt sampleweight sampwt samplingweight surveyweight wtfinal wtssall personweight
    housweight pondera* ponder* hochrechnung* poids_sondage factorexp weegfactor
    ophoogfactor coefficiente_peso fexp asecwt wgt
household: a household
    hh hhid hhno household haushalt haushaltsnummer menage foyer hogar famiglia_id
    huishouden hhnr
person: a person
    person patient* subject subj member client customer participant respondent resp
    pupil student schueler alumno eleve studente leerling employee child mother
    patientin proband* klient* kunde versicherte* paciente* cliente sujeto sujet salarie
    paziente soggetto patient_id klant deelnemer prof professor teacher worker firm
    company betrieb entreprise empresa azienda bedrijf fi cusip gvkey
qi: age or birth
    age ages agep alter leeftijd edad eta birth* born dob geb geburt* geboren geboorte*
    naiss* nacimiento nascita yob jahrgang anno_nascita old
qi: sex
    sex gender geschlecht sexe sexo sesso geslacht genre genero genere female male woman
    women man men girl boy weiblich maennlich femme homme mujer hombre donna uomo vrouw
    fem
qi: origin
    race racial ethnic* eth hispan* hisp black white nonwhite nwhite asian afam colour
    color nation* citizen* foreign* native* minority migra* immigra* language
    mother_tongue staatsang* herkunft muttersprache origin* origen raza razza ras
    nazional* nacional* cittadin* afkomst rac1p caste tribe
qi: a place
    zip zipcode zcta plz postal* postleitzahl postcode cap code_postal city town state
    county region regions district distr province provinz land country counties kreis
    gemeinde bundesland stadt ort wohnort commune departement ville pays municip* ciudad
    pais estado comune citta paese regione comarca gemeente plaats stad urban rural smsa
    msa urbrur metro south north west east neighborhood neighbourhood area areas puma
    location village barrio quartier geo fips tract density hospital hosp ward clinic
    klinik spital krank* hopital ziekenhuis ospedale lea station birthplace residence
    lat latitude lon longitude precinct* vill* distanc* dist commut* travel* near*
qi/school: education
    educ* edu schooling degree college highschool hschool nodeg grade diploma* primary
    secondary bildung* schul* abschluss etude* niveau scolar* estudio* istruzione laurea
    opleiding onderwijs school university major ed class classroom class_no schgend
    schid yedu division
qi/work: work
    occ* job profession* employ* empl industr* ind indp sector work* wrk* beruf* branche
    tatig* erwerb* emploi metier activite ocupacion trabajo lavoro professione
    occupazione beroep* werk tenure* exper* experience selfemp lfp unemp* arbeitslos*
    chomage desempleo disoccup* werkloos* labour labor partic naics isic nace isco soc
    union bluecol wks weeks hours seniority prestige prestg rank military veteran* noc
qi: the family
    marital marst* marr* married single spouse husb* wife msp divorc* widow* child*
    children kids kid fam famil* hhsize famsize parent* mother* father* siblings sibsp
    parch familienstand kinder civil* enfant* hijos figli kinderen matrimon* conyug*
    coniug* burgerlijk* npf livch npreg parity relat*
qi: the home
    home homeown house housing housing_type own owner rent rental tenant* rooms dwelling
    condomin* wohn* logement vivienda abitazione woning
qi: a date that others may know
    date dat day month year jahr annee ano anno jaar tag mois mes mese maand monat datum
    fecha data admitted admission discharge entry onset datetime yr aufnahme entlassung
    quarter week started onstudy deathdate deathday deathmon deathmonth deathyear
    dateofdeath dod todesdatum todestag todesjahr sterbedatum sterbejahr datedeces
    fechamuerte datamorte overlijdensdatum
qi: how a body looks
    height hgt ht weight wgt wt groesse taille altura eye
sensitive/health: health
    diagnos* diag dx icd* disease* ill illness* sick* krank* krankheit* malad* enferm*
    malatt* ziekte* hiv aids cancer tumor* tumour* krebs diabet* asthma* stroke angina
    infect* symptom* surg* nodes node lymph* dead death died dece* deces muerte morte
    verstorben tod gestorben overleden surviv* relaps* rel recur* remission progression
    reject* status outcome ausgang transplant* mental depress* depr anxi* stress* bdi
    health* hlth healthy gesund* sante salud salute gezond* disab* physlim limit* dphy
    drem ddrs dear deye dout dvet behinder* handicap* discap* smok* rauch* fum* cig*
    tobac* nicotin* alcohol* drink* trink* drug* drog* medic* presc* wbc hgb esr fever
    temperature lesion* metast* event censor* cens follow* chemo* radio* allerg* copd
    ecog seizure* pain* ulcer fracture* serum plasma wait* remiss* pharm* medik* dose
    doses doctor* doct* arzt nurs* visits visit mdu los pregnan* schwanger* embaraz*
    gravid* abort* contracept* vaccin* impf* bp sysbp sbp dbp systol* diastol* blood
    pulse heart chol* gluc* glu glufast glutest insul* bmi bili* albumin platelet* hemo*
    haemo* creat* copper trig* sodium potassium hba* viral virus log_virus cd4 grade
    stage histol* biops* xray acid edema ascites hepat* spiders ast alt alk* protime
    ndisease injury injur* immun* autis* dyslex* suicid* sleep* lbw obes* cod cause*
    todesursache mort* sympt* treatments therap* physical* helmet* exercise hypert* ttr
    longest* procedure* operat* karnof* karno result results finding* itch* rash dysuria
    condom* vagin* genital* prenat* postnat* marijuana cannabis grass befund* ergebnis*
    resultat* risultat* uitslag celltype cell_type cells histor* prior baseline diag*
    illday* sickday* habit* behav* lifestyle exerc* training activit* diet* nutrit*
    calor* weight_gain hla mismatch* match* gvhd graft* donor* recipient platel* neutro*
    biomark* gene genotyp* mutat* mgus icd_chapter chapter beschwerd* schmerz*
    gewohnheit* rauch* habitude* douleur* habito* dolor* abitudin* dolore gewoont* pijn*
sensitive/money: money
    income salary-class salaryclass inc incr rinc linc pinc hinc cost* price* charge*
    fee fees budget famincr incom* wage* salar* earn* pay payroll wealth asset* debt*
    loan* credit* mortgage balance amount expens* expend* poverty pov* povpip pincp
    pincp_decile tax taxes pension* benefit* welfare foodstamp* lunch* freelunk profit*
    sales revenue* turnover capital value marketvalue amnt amt invest* rdexp einkommen
    lohn gehalt vermogen vermoegen schuld* kredit* umsatz gewinn revenu* salaire dette*
    patrimoine ingreso* renta sueldo deuda* reddito stipendio debito inkomen loon omzet
    deny chist mhist phist pirat hirat lvrat hi insurance
sensitive/score: a score or mark
    score* gcse* exam* normexam iq gpa sat test* mark marks math* mathach tmath* tread*
    read* verbal vocab* memory attention attain* eval* rating* performance standlrt vr
    cogn* writ* achiev* abilit* gre toefl intake punteggio voto nota puntaje cijfer
    punkte zensur beauty percentile accura* skill* ppvt raven* wisc wais mmse moca
    bayley peabody woodcock vineland knowledge
sensitive/opinion: opinion or belief
    vote* voting votetr* party partei parti partito partido partij ideo* relig* church*
    prayer* bornagain faith konfession glaube religion* polit* opinion* attitude* agree*
    support* approv* satisf* happ* unhapp* feel* prefer* trust belie* favor* racis*
    white_adv whiteadv fearrac* angry* pid7* vot* left_right lrelig unhap* hap hapavg
    antirel notrel worr* fear* concern* threat* meinung* einstell* zufried* wahl*
    democrat* republican* econom* avis satisfac* opinio* voto* zorg* mening*
sensitive/law: private life or law
    affair* sexual* orient* arrest* offen* crime* crim* convict* prison haft strafe
    delit delito reato misdaad police jail weapon victim* fraud sensitive secret
    violence* abuse* text_while* driving texting force force_type resist* releas* check*
    verdict* sentenc* bail charg* fine* citation* search searched frisk* ticket* urteil*
    jugement* condena* condann* vonnis*
unchanged: the design of a study
    treat treatment trt arm rx study trial bid bid1 bidh bidl grp task condition placebo
    random* cohort wave round batch version ver answer* lower upper subgroup design
    instrument
"""
)
# Words that alone say nothing of a column, whatever stands beside them.
IDS = words_in(
    """id ids nr no num number nummer numero code key idnum idno idnr case caso fall
    obs seq uid pid kennung kennziffer identificador record uuid guid"""
)
# Of these each is a person's, however few there are.
NAMES = words_in(
    """surname lastname firstname fullname forename familyname nachname vorname prenom
    apellido apellidos cognome achternaam voornaam"""
)
# A body has a weight, too, where such names are beside it.
BODY = words_in("""height hgt ht bmi birth age mage baby groesse taille""")
# What cells say whatever the name: what they are, and texts of small letters.
CELLS = _topics(
    """
qi: sexes
    m f male female man woman men women boy girl mann frau maennlich weiblich männlich
    homme femme masculin féminin hombre mujer maschio femmina uomo donna vrouw h v w d
    divers
qi: marital states
    married single divorced widowed separated ledig verheiratet geschieden verwitwet
    marié célibataire divorcé veuf casado soltero divorciado viudo
qi: origins
    white black asian hispanic other afam nonwhite african-american caucasian
qi: levels of education
    highschool bachelor master phd none doctorate
sensitive/health: diseases
    hiv aids flu cancer diabetes asthma hepatitis gout cold depression pneumonia
    bronchitis gastritis ulcer dyspepsia hypertension stroke grippe krebs influenza
    cáncer cancro kanker vih
sensitive: classes of income
    <=50k >50k <50k >=50k
"""
)
# What is a direct identifier by how its cells are written.
WRITTEN = (
    ("addresses of mail", r"[^@\s]+@[^@\s]+\.\w+"),
    ("telephone numbers", r"(\+|00)\d[\d /().-]{7,}"),
    ("accounts", r"[A-Z]{2}\d{2} ?([A-Z0-9]{4} ?){3,7}[A-Z0-9]{1,4}"),
    ("addresses of computers", r"\d{1,3}(\.\d{1,3}){3}"),
    ("numbers of insurance", r"\d{3}-\d{2}-\d{4}"),
    ("addresses of pages", r"https?://\S+"),
)
ICD = r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?"
# Names of columns whose whole numbers are codes, not sizes.
CODED = words_in(
    """zip zipcode zcta plz postal* postleitzahl postcode cap fips county commune puma
    naics isic nace isco soc sic ind indp indus* occ occ10 noc icd* comune gemeinde
    tract district region state country kreis lea school hospital code ags nuts
    tariff plant sector geo village sch* station area"""
)
# What names speak of whose numbers are sizes, whatever their digits are like.
SIZES = frozenset({"money", "a score or mark", "age or birth", "a sampling weight"})
