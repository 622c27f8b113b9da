// A line in each of these languages says that help in it is free, and which number to call (45 CFR 92.11, which reaches suppliers
// under Medicare Part B). LANGUAGE_HELP chooses the lines: the languages that are listed for the provider's state.
import { ContentError } from "./content-error.ts";
import { type Provider, withProvider } from "./provider.ts";

export interface LanguageHelpLine {
  language: string;
  direction: "ltr" | "rtl";
  text: string;
}

/** The lines by BCP 47 code. Before the site goes live, the provider's translator reads the lines that the site shows. */
const lines: Record<string, string> = {
  ar: "إذا كنت تتحدث العربية، تتوفر لك المساعدة اللغوية مجانًا. اتصل بالرقم {phone} (TTY: 711).",
  de: "Wenn Sie Deutsch sprechen, helfen wir Ihnen kostenlos in Ihrer Sprache. Rufen Sie {phone} an (TTY: 711).",
  es: "Si habla español, le ayudamos en su idioma sin costo. Llame al {phone} (TTY: 711).",
  fa: "اگر به فارسی صحبت می‌کنید، کمک زبانی رایگان در اختیار شماست. با {phone} تماس بگیرید (TTY: 711).",
  fr: "Si vous parlez français, une aide dans votre langue est à votre disposition, sans frais. Appelez le {phone} (TTY : 711).",
  gu: "જો તમે ગુજરાતી બોલો છો, તો તમને ભાષાની મદદ મફત મળે છે. {phone} પર ફોન કરો (TTY: 711).",
  hi: "यदि आप हिंदी बोलते हैं, तो भाषा की सहायता आपके लिए निःशुल्क है। {phone} पर फ़ोन करें (TTY: 711).",
  ht: "Si ou pale Kreyòl Ayisyen, gen èd nan lang ou ki disponib gratis. Rele {phone} (TTY: 711).",
  it: "Se parla italiano, è disponibile assistenza gratuita nella Sua lingua. Chiami il {phone} (TTY: 711).",
  ja: "日本語を話される方は、無料の言語支援をご利用いただけます。{phone}(TTY: 711)までお電話ください。",
  ko: "한국어를 사용하시면 무료 언어 지원을 받으실 수 있습니다. {phone}(TTY: 711)로 전화해 주십시오.",
  pl: "Jeśli mówi Pan/Pani po polsku, pomoc językowa jest bezpłatna. Proszę zadzwonić pod numer {phone} (TTY: 711).",
  pt: "Se fala português, tem à sua disposição ajuda gratuita no seu idioma. Ligue para {phone} (TTY: 711).",
  ru: "Если вы говорите по-русски, вам бесплатно помогут на вашем языке. Позвоните по номеру {phone} (TTY: 711).",
  tl: "Kung nagsasalita ka ng Tagalog, may libreng tulong sa wika para sa iyo. Tumawag sa {phone} (TTY: 711).",
  ur: "اگر آپ اردو بولتے ہیں تو زبان کی مدد آپ کے لیے مفت دستیاب ہے۔ {phone} پر کال کریں (TTY: 711)۔",
  vi: "Nếu quý vị nói tiếng Việt, chúng tôi có hỗ trợ ngôn ngữ miễn phí. Hãy gọi số {phone} (TTY: 711).",
  zh: "如果您說中文,您可以免費獲得語言協助。請致電 {phone}(TTY: 711)。",
};

const rightToLeft = ["ar", "fa", "ur"];

/** The lines that the settings ask for, in their order. @throws ContentError for a language without a line here. */
export function languageHelpLines(provider: Provider): LanguageHelpLine[] {
  const unknown = provider.languageHelp.filter((language) => !lines[language]);
  if (unknown.length > 0) {
    const known = Object.keys(lines).join(", ");
    throw new ContentError(`LANGUAGE_HELP names ${unknown.join(", ")}; there are lines in: ${known}.`);
  }
  return provider.languageHelp.map((language) => ({
    language,
    direction: rightToLeft.includes(language) ? "rtl" : "ltr",
    // Isolated, because a line from right to left would turn the number's groups around.
    text: withProvider(lines[language] ?? "", { ...provider, phone: `\u2066${provider.phone}\u2069` }),
  }));
}
