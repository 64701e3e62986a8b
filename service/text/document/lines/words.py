"""Words by which lines show what they are, in every language of the service.

The grammar reads them all whatever the language of the text: mails are forwarded across languages,
and transcripts keep the labels of the program that made them.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class LineWords:
    """The words of one language, in small letters.

    Attributes:
        headers: names of a mail's headers, without colon.
        wrote: ends of the line above quoted text, without colon.
        speakers: labels that stand for a speaker, without number.
        stops: words that no clause ends with, so that a line that ends with one goes on: articles,
            prepositions, conjunctions. Those that are other words in another language (`do`,
            `son`) are left out.
    """

    headers: frozenset[str]
    wrote: tuple[str, ...]
    speakers: frozenset[str]
    stops: frozenset[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in text.split())


LINE_WORDS = MappingProxyType(
    {
        "en": LineWords(
            headers=_words("from to cc bcc subject date sent re fwd reply-to attn attachments"),
            wrote=("wrote", "writes"),
            speakers=_words(
                "speaker interviewer interviewee host guest moderator narrator announcer operator "
                "caller respondent reporter presenter voice-over q a question answer"
            ),
            stops=_words(
                "a an the of to from with for at into and or but nor as than that which whose "
                "my your his its our their if because by in on this these every no"
            ),
        ),
        "es": LineWords(
            headers=_words("de para cc cco asunto fecha enviado enviado_el responder_a"),
            wrote=("escribió",),
            speakers=_words(
                "entrevistador entrevistadora entrevistado entrevistada presentador presentadora "
                "narrador narradora hablante locutor locutora p r pregunta respuesta"
            ),
            stops=_words(
                "el la los las un una unos unas de del al a en y e o u que con por para sin su "
                "sus mi tu se lo le es como si"
            ),
        ),
        "fr": LineWords(
            headers=_words("de à a cc cci objet date envoyé répondre_à"),
            wrote=("a écrit",),
            speakers=_words(
                "intervieweur intervieweuse interviewé interviewée animateur animatrice "
                "narrateur narratrice locuteur locutrice journaliste q r question réponse"
            ),
            stops=_words(
                "le la les un une des de du à au aux et ou que qui dans en par pour sur avec sans "
                "ce cette ces sa ses ma mes leur leurs se ne"
            ),
        ),
        "hi": LineWords(
            headers=_words("प्रेषक प्रति प्राप्तकर्ता सेवा_में विषय दिनांक तारीख तिथि प्रतिलिपि"),
            wrote=("ने लिखा", "लिखते हैं"),
            speakers=_words("साक्षात्कारकर्ता वक्ता संचालक प्रश्न उत्तर सवाल जवाब प्र उ"),
            stops=_words("और या कि तथा एवं अथवा जो यदि का की के ने"),
        ),
        "it": LineWords(
            headers=_words("da a cc ccn oggetto data inviato rispondi_a"),
            wrote=("ha scritto",),
            speakers=_words(
                "intervistatore intervistatrice intervistato intervistata conduttore conduttrice "
                "narratore narratrice parlante giornalista d r domanda risposta"
            ),
            stops=_words(
                "il lo la i gli le un uno una di del dello della dei degli delle a al allo alla "
                "alle da dal dalla in nel nella nei nelle con su sul sulla per tra fra e o che "
                "si non"
            ),
        ),
        "ja": LineWords(
            headers=_words("差出人 送信者 宛先 件名 日時 送信日時 日付 返信先"),
            wrote=("書きました", "のメッセージ", "のメール"),
            speakers=_words("話者 司会 司会者 聞き手 インタビュアー ナレーター 質問 回答 問 答"),
            stops=frozenset(),
        ),
        "pt": LineWords(
            headers=_words("de para cc cco assunto data enviado enviado_em enviada_em responder_a"),
            wrote=("escreveu",),
            speakers=_words(
                "entrevistador entrevistadora entrevistado entrevistada apresentador "
                "apresentadora narrador narradora falante locutor locutora p r pergunta resposta"
            ),
            stops=_words(
                "o a os as um uma uns umas de da das em no na nos nas por para com sem e "
                "ou que se seu sua meu minha ao à pelo pela como"
            ),
        ),
        "zh": LineWords(
            headers=_words(
                "发件人 收件人 抄送 密送 主题 日期 发送时间 寄件者 收件者 副本 主旨 寄件日期"
            ),
            wrote=("写道", "寫道"),
            speakers=_words("主持人 记者 記者 嘉宾 采访者 受访者 旁白 发言人 说话人 问 答 問"),
            stops=frozenset(),
        ),
    }
)
"""The words of each language, by ISO 639 code."""

HEADERS = frozenset().union(*(words.headers for words in LINE_WORDS.values()))
"""Names of a mail's headers in all languages."""
WROTE = tuple(ending for words in LINE_WORDS.values() for ending in words.wrote)
"""Ends of the line above quoted text in all languages."""
SPEAKERS = frozenset().union(*(words.speakers for words in LINE_WORDS.values()))
"""Labels that stand for a speaker in all languages."""
STOPS = frozenset().union(*(words.stops for words in LINE_WORDS.values()))
"""Words that no clause ends with, in any language."""

LEVELS = _words(
    "TRACE DEBUG VERBOSE INFO NOTICE WARN WARNING ERR ERROR SEVERE CRIT CRITICAL FATAL ALERT EMERG "
    "PANIC"
)
"""Severities of log lines, which programs write in English capitals."""
