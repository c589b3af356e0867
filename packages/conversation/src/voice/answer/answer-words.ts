/** What the first words of the side that answered tell about it. */
export interface AnswerCues {
  /** A recording, by words that people do not say when they answer. */
  isRecording: boolean;
  /** Words of recordings that a person might say too: "you've reached …", "… is not available". */
  mayBeRecording: boolean;
  /** An opening that people and recordings share: "Thank you for calling …", "This is …". What follows decides. */
  isOpening: boolean;
  /** Words of a person: a hello at the end, or `isAddress`. */
  isPerson: boolean;
  /** Words to the caller, to which only a person expects an answer: "how can I help you?", "who is this?". */
  isAddress: boolean;
  /** A service that asks who calls, before a person answers. */
  isScreening: boolean;
  /** A menu of keys. */
  isMenu: boolean;
}

interface CuePatterns {
  recording: RegExp;
  maybeRecording: RegExp;
  opening?: RegExp;
  /** Words that end a person's first words, and begin those of recordings. */
  hello: RegExp;
  address: RegExp;
  screening: RegExp;
  menu: RegExp;
}

const any = (...patterns: readonly string[]): RegExp =>
  new RegExp(`(?<!\\p{L})(${patterns.join("|")})`, "iu");

/**
 * By language; recordings of mobile networks are often English, so English counts everywhere. Apostrophes are removed from texts
 * before. The patterns allow for usual mistakes of recognizers ("voice male").
 */
const ENGLISH: CuePatterns = {
  recording: any(
    "(after|at|following|wait for|hear) (the|a) (tone|beep|signal|bleep)",
    "voice ?(mail|male)(?! me)",
    "(mail|male) ?box",
    "answering (machine|service)",
    "leave (me |us |your |a |an |the )*(short |brief |detailed |quick )?(message|name|number|voice)",
    "leave (me|us) one",
    "record (your|a) (message|voice)",
    "automat(ed|ic) (voice|message|messaging|answering)",
    "voice (message|messaging) (system|service)",
    "(number|customer|subscriber|extension|mailbox)( that| who| whom)? (you have|youve|you are|youre|you were|you) (called|dialed|dialled|calling|trying|reached|tried)",
    "(cant|cannot|can not|unable to|couldnt|not able to) (come to|get to|take|answer|pick up|make it to|reach) (the|your|my|this)? ?(phone|call|calls)",
    "(sorry|sad) (that )?(i|we) (have |ve |just )*missed (your|you)",
    "(missed|miss) your call",
    "(ill|we ?ll|will|i can|shall|and ill|someone will) (call|get|ring|phone|be in touch|return) (back|you back|back to|your call|with you|in touch|you)",
    "(as soon as|soon as) (i|we|possible)",
    "return your call",
    "(has been|been|being) forwarded",
    "is (currently )?switched off",
    "(currently|temporarily|presently) (unavailable|not available|closed|away|out of)",
    "our (office|offices) (is|are) (currently |now )?closed",
    "(no ?one|nobody|no body) (is|are|can|could) (available|here|able|currently|take|answer|come|reach)",
    "(not |isnt |un)?available (to|at the moment to) (take|answer)",
    "office hours are",
    "(not|no longer) in service",
    "(been )?disconnected",
    "(person|party|subscriber|customer|user|number|extension)( \\p{L}+){0,6} (is|has|are|cannot|can not|cant) (not|un|been|temporarily|currently|no|accept|receive)",
    "(has|have) not (been )?set up",
    "(all )?of our (agents|representatives|lines|associates|operators)",
    "(helping|assisting|serving) other",
    "(either )?on another (call|line)",
    "(probably|either) (busy|away|out|on)",
    "(im|i am|were|we are) (either|(unable|not able) to(?! (hear|talk)))",
    "(high|heavy) (call|volume)",
    "(person|party|user|customer|subscriber|caller) (that |who |whom )?you(re| are| were| have|ve)? (called|dialed|dialled|tried|trying|attempt)",
    "subscriber",
    "(the|this) (\\p{L}+ )?customer you",
    "sorry (but )?(that )?(the|your) (\\p{L}+ )?(customer|person|number|party|subscriber|user)",
    "reached .{0,40}(phone|cell|mobile|voice)",
    "(thanks|thank you) for (calling|your call) .*(were|we are|is|are) (currently |now |all )*(closed|out of|away|unavailable|not (in|here|open|available))",
    "cannot (accept|be taken|be answered|be completed)",
    "check this (mailbox|voicemail)",
    "(send|drop|shoot) me a (text|message)",
    "(you|you ll|youll) know what to do",
  ),
  maybeRecording: any(
    "(youve|you have|you|youll|you will) reach",
    "(not|isnt|arent|unavailable|away from) (here|available|home|in|around|able|my|at my)( right now| at the moment| desk| phone)?",
    "forwarded",
    "please (leave|hold|record|try)",
    "your call",
    "(im|i am|we are|were) (out|away|busy|on another|on vacation|closed|currently|probably)",
  ),
  opening: any(
    "(thanks|thank you) for (calling|your call)",
    "good (morning|afternoon|evening|day)",
    "welcome to",
    "(?<!(hi|hello|hey|there) )this is(?! (an automat|a record|the (voice|mail)))",
    "(person|party|user) (that |who |whom )?you(re| are| were|ve| have) (calling|called|trying)",
  ),
  hello: any("(yes|yeah|hello|hi|hey)$"),
  address: any(
    "(how|what) (can|may|could) (i|we)",
    "(how|what) (do|should) (i|we) (help|do|assist|direct)",
    "(can|may) i help",
    "speaking",
    "who(s| is|se|m)? (is |am |are )*(this|that|there|calling|speaking|it)",
    "(whats|what is) (this|it) (about|regarding)",
    "can you hear",
    "(hold|hang) on",
    "(one|a|just a) (moment|second|sec)",
    "is (that|this) you",
    "(hi|hello|hey|oh|ah|yeah|yes) sorry (i|we) (was|were|just|had|didnt|am in|m in)",
    "how are you",
    "what do you want",
    "(do i|i dont) know you",
  ),
  screening: any(
    "(state|say|record|give|tell me|provide) your name(?! (and|with) (a |your )?(phone |telephone |cell )?number)",
    "(why|reason) (youre|you are|you re|for) call(ing)?",
    "reason for (your )?call",
    "(call|using a|a) screening",
    "screen(ing)? (this|your|the|service)",
    "(is|being|using) (a |the |being )?screen",
    "connect you",
    "(can|could) you tell me",
    "(what is|whats) your name",
    "see if (this|the|that) (person|number)",
    "stay on the line",
    "(stops|protect|blocks) (spam|robo|unwanted)",
  ),
  menu: any(
    "press (\\d|one|two|three|four|five|zero|star|pound|any)",
    "for (sales|support|english|billing|service)",
    "(following|menu) options",
  ),
};

const BY_LANGUAGE: Readonly<Record<string, CuePatterns>> = {
  de: {
    recording: any(
      "(nach|mit) dem (signal|piep|ton|pfeif|signalton|piepton)",
      "mailbox",
      "anrufbeantworter",
      "sprachbox",
      "(hinterlassen|hinterlasse|hinterlasst) (sie|uns|mir|eine|bitte|nach)",
      "nachricht (nach|hinterlassen|auf)",
      "(teilnehmer|gesprächspartner|anschluss) ist",
      "angerufene",
      "(rufe|rufen|melde|melden) (sie |dich |mich |uns |wir |ich )*(so bald|baldmöglichst|schnellstmöglich|umgehend|zurück|bei ihnen|bei dir)",
      "(zurzeit|zur zeit|momentan|leider|im moment) (nicht|leider nicht|persönlich nicht) (erreichbar|da|zu erreichen|ans telefon|persönlich)",
      "unsere (büro|öffnungs|geschäfts)zeiten",
      "nicht (ans|an das) telefon",
    ),
    maybeRecording: any(
      "(haben|hast) (den anschluss|die nummer|das büro|die praxis)",
      "nicht (erreichbar|da|zu hause)",
    ),
    opening: any(
      "(danke|vielen dank) für (ihren|deinen) anruf",
      "guten (morgen|tag|abend)",
      "grüß gott",
      "willkommen",
    ),
    hello: any("^(ja|hallo|ja bitte|ja hallo)$"),
    address: any(
      "(wie|was) kann ich",
      "am apparat",
      "wer (ist|spricht)",
      "worum geht",
      "einen (moment|augenblick)",
    ),
    screening: any("(nennen|sagen) sie (uns |mir )?(bitte )?ihren namen", "grund (ihres|des) anrufs"),
    menu: any("drücken sie", "für .{2,30} die (eins|zwei|drei)"),
  },
  fr: {
    recording: any(
      "(après|apres) le (bip|signal|son)",
      "(laissez|laisser)( moi| nous)?( un| votre)? (message|nom)",
      "(messagerie|répondeur|boîte vocale)",
      "(correspondant|abonné)",
      "(rappell|recontacte)(erai|erons|e) (dès|des|au plus)?",
      "ne (suis|sommes|peux|pouvons) pas (disponible|joignable|vous répondre|là)",
    ),
    maybeRecording: any("vous êtes (bien )?(sur|chez|au)", "(pas disponible|indisponible|absent)"),
    opening: any("merci de votre appel", "bonjour", "bonsoir", "bienvenue"),
    hello: any("^(oui|allô|allo|oui allô)$"),
    address: any(
      "(que|comment) puis[ -]je",
      "à l.?appareil",
      "qui (est|êtes|appelle)",
      "c.?est (qui|de la part)",
      "ne quittez pas",
    ),
    screening: any("(dites|indiquez|donnez|énoncez) votre nom", "motif de votre appel"),
    menu: any("(tapez|appuyez)"),
  },
  es: {
    recording: any(
      "(después|despues|al) (de|oír|oir)? ?(la|del|el) (señal|tono|pitido)",
      "(deje|deja|dejar)(nos|me)? (un|su|tu|el)? ?(mensaje|nombre|recado)",
      "buzón",
      "contestador",
      "(número|usuario|teléfono|cliente) (que|al que) (usted )?(marc|llama|ha marcado)",
      "(apagado|fuera de cobertura)",
      "(le|te) (devolver|llamar)(é|emos|e)",
      "no (puedo|podemos|estoy|estamos) (atender|contestar|disponible)",
    ),
    maybeRecording: any("(has|ha) llamado a", "no (está|estoy|estamos) disponible"),
    opening: any("gracias por (su|tu) llamada", "buen[oa]s (días|tardes|noches)", "bienvenid"),
    hello: any("^(sí|si|diga|dígame|digame|hola|bueno|aló)$"),
    address: any(
      "(en|con) qué (puedo|le puedo|te puedo)",
      "quién (es|habla|llama)",
      "de parte de quién",
      "un momento",
      "al habla",
    ),
    screening: any("(diga|indique) su nombre", "motivo de (su|la) llamada"),
    menu: any("(pulse|marque|oprima)"),
  },
  it: {
    recording: any(
      "dopo (il|un) (segnale|bip|tono)",
      "(lasci|lascia|lasciate|lasciare|lasciami|lasciateci)( un| il)? ?(messaggio|nome)",
      "(segreteria|casella vocale)",
      "(utente|cliente|numero) (da lei|che ha)",
      "(richiamer|ricontatter)(ò|emo|o)",
      "non (posso|possiamo|è possibile) (rispondere|al momento)",
    ),
    maybeRecording: any("(hai|ha|avete) chiamato", "non (è|sono|siamo) (raggiungibile|disponibil)"),
    opening: any("grazie (per aver|della)", "buon(giorno|asera)", "benvenut"),
    hello: any("^(pronto|sì|si|ciao)$"),
    address: any("(come|in cosa) posso", "chi (è|parla)", "un (attimo|momento)", "mi dica"),
    screening: any("(dica|indichi) il suo nome", "motivo della (chiamata|telefonata)"),
    menu: any("(prema|digiti)"),
  },
  pt: {
    recording: any(
      "(após|apos|depois do) o? ?(sinal|bip|tom)",
      "(deixe|deixa|deixar)( o| a| um| uma)?( seu| sua)? ?(recado|mensagem|nome)",
      "(caixa postal|correio de voz|atendedor)",
      "(número|cliente|assinante) (que|para o qual)",
      "(retorn|ligar)(arei|emos|ei)",
      "não (posso|podemos) atender",
    ),
    maybeRecording: any("(você|voce) ligou para", "não (está|estou|estamos) disponíve"),
    opening: any("obrigad[oa] por ligar", "bom dia", "boa (tarde|noite)", "bem-vind"),
    hello: any("^(alô|alo|sim|olá|oi|está|estou)$"),
    address: any("(em que|como) posso", "quem (é|fala)", "um (momento|instante)", "pois não"),
    screening: any("(diga|informe) (o )?seu nome", "motivo da (ligação|chamada)"),
    menu: any("(tecle|pressione|digite)"),
  },
  nl: {
    recording: any(
      "na de (piep|toon|pieptoon)",
      "(spreek|laat)( dan| een| uw| je)*( bericht| boodschap| naam)",
      "(voicemail|antwoordapparaat)",
      "(nummer|abonnee|persoon) (dat|die) u",
      "(bel|bellen|neem)( ik| wij| we)?( u| je)? (zo snel|terug|contact)",
      "(niet|even niet) (aan de telefoon|opnemen|beschikbaar|bereikbaar)",
    ),
    maybeRecording: any("(bent|ben je) verbonden met", "niet (aanwezig|bereikbaar|beschikbaar)"),
    opening: any("bedankt voor (uw|het|je)", "goede(morgen|middag|navond|ndag)", "welkom"),
    hello: any("^(ja|hallo|hoi)$"),
    address: any("(waarmee|hoe) kan ik", "met wie", "wie (is|spreek)", "een (moment|ogenblik)"),
    screening: any("(noem|zeg) uw naam", "reden van uw"),
    menu: any("(toets|druk)"),
  },
};

/** Reads the cues in the first words, in any punctuation. English counts in calls of every language. */
export function findAnswerCues(text: string, language: string): AnswerCues {
  const words = text
    .normalize("NFC")
    .replaceAll(/['’`]/g, "")
    .replaceAll(/[^\p{L}\p{N} -]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const own = BY_LANGUAGE[language.split("-")[0]?.toLowerCase() ?? ""];
  const has = (cue: keyof CuePatterns): boolean =>
    ENGLISH[cue]?.test(words) === true || own?.[cue]?.test(words) === true;
  return {
    isRecording: has("recording"),
    mayBeRecording: has("maybeRecording"),
    isOpening: has("opening"),
    isPerson: has("address") || has("hello"),
    isAddress: has("address"),
    isScreening: has("screening"),
    isMenu: has("menu"),
  };
}
