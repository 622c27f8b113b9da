// Spanish: all that the pages say in it, put together. Before it goes live, a translator and counsel read it
// (SPANISH_REVIEWED_BY).
import type { Language } from "../language.ts";
import { article } from "./article.ts";
import { callScripts } from "./call-scripts.ts";
import { claims } from "./claims.ts";
import { form } from "./form.ts";
import { thankYou } from "./thank-you.ts";

export const es: Language = {
  tag: "es-US",
  link: "Leer en español",
  article,
  form,
  thankYou,
  claims,
  refusals: {
    nameMissing: "Por favor, escriba su nombre completo.",
    emailMissing: "Por favor, escriba su correo electrónico.",
    phoneMissing: "Por favor, escriba su número de teléfono.",
    zipCodeMissing: "Por favor, escriba su código postal.",
    nameTooLong: "Su nombre es demasiado largo. Por favor, use 500 caracteres o menos.",
    emailTooLong: "Su correo electrónico es demasiado largo. Por favor, use 500 caracteres o menos.",
    phoneTooLong: "Su número de teléfono es demasiado largo. Por favor, use 500 caracteres o menos.",
    zipCodeTooLong: "Su código postal es demasiado largo. Por favor, use 500 caracteres o menos.",
    formTooLong:
      "Lo que escribió es demasiado largo para este formulario. Por favor, acórtelo e intente otra vez.",
    tooManyTries:
      "Se enviaron muchos formularios desde su conexión a internet. Por favor, espere un minuto e intente otra vez.",
    keyRefused: "No pudimos recibir sus respuestas de esta manera. Por favor, oprima el botón una vez más.",
    foreignPage:
      "Este formulario no está en nuestra propia página, así que no lo podemos recibir aquí. Por favor, abra nuestra página e intente otra vez.",
    notRead:
      "No pudimos leer lo que mandó su navegador. Por favor, vuelva a cargar la página e intente otra vez.",
    tooSlow:
      "Sus respuestas tardaron demasiado en llegar. Por favor, revise su conexión a internet e intente otra vez.",
    databaseUnreachable:
      "No pudimos guardar sus respuestas en este momento. Siguen aquí: por favor, intente otra vez en un minuto.",
    broken:
      "Algo falló de nuestra parte. Sus respuestas siguen aquí: por favor, intente otra vez en un minuto.",
  },
  notice:
    "Al enviar este formulario, con el botón “{button}” o de cualquier otra manera, firmo aquí. " +
    "Doy mi permiso por escrito a {legalName} para que me llame al número que escribí, aunque esté en una lista de no llamar. " +
    "La llamada es sobre un monitor continuo de glucosa y lo que hace falta para usarlo. " +
    "Llama una persona: sin grabaciones y sin mensajes de texto. " +
    "No tengo que aceptar esto para poder comprar algo. En vez de esto, puedo llamar al {phone}. " +
    "Puedo retirar este permiso en cualquier momento y de cualquier manera, por ejemplo con una llamada al {phone}.",
  noticeWords: {
    signature: ["firm"],
    permission: ["permiso", "consent", "autoriz"],
    call: ["llam"],
    number: ["número"],
    product: ["monitor continuo de glucosa"],
    noCondition: ["compra"],
  },
  page: {
    sponsored: "Patrocinado:",
    goToForm: "Ir al formulario",
    call: "Llame al {phone}",
    tty: "TTY: 711",
    askedBy: "¿Quién pregunta?",
    npi: "NPI",
    footer: {
      heading: "Sobre esta página",
      text: [
        "Este es contenido patrocinado. Lo pagó {name}.",
        "No es un consejo médico. Pregunte a su médico antes de cambiar la forma en que cuida su diabetes.",
        "{name} es una empresa privada. No tiene relación con el gobierno de los Estados Unidos ni con Medicare, y ellos no la respaldan.",
      ],
      phone: "Teléfono:",
      npi: "NPI:",
      privacyLink: "Política de privacidad de datos de salud del consumidor",
      languageHelpLink: "Ayuda en su idioma y otras ayudas, sin cobro para usted",
    },
  },
  notFound: {
    title: "Página no encontrada",
    heading: "No encontramos esa página",
    text: "Puede ser que la dirección tenga un error o que la página haya cambiado de lugar.",
    link: "Leer nuestro artículo sobre el azúcar y el MCG",
    call: "O llámenos al {phone}. Con gusto le ayudamos.",
  },
  sources: {
    niddk: {
      title: "Monitoreo continuo de la glucosa (en inglés)",
      publisher: "Instituto Nacional de la Diabetes y las Enfermedades Digestivas y Renales",
    },
    fda: {
      title: "Retiros y alertas, entre ellos los de lectores (2025) y sensores (2026) de MCG (en inglés)",
      publisher: "Administración de Alimentos y Medicamentos de los Estados Unidos (FDA)",
    },
    wisdm: {
      title: "Un estudio de MCG con 203 adultos mayores con diabetes tipo 1 (WISDM, en inglés)",
      publisher: "JAMA, 2020",
    },
    medicare: { title: "Monitores continuos de glucosa (en inglés)", publisher: "Medicare.gov" },
    lcd: {
      title: "Monitores de glucosa, regla L33822, criterios desde el 16 de abril de 2023 (en inglés)",
      publisher: "Centros de Servicios de Medicare y Medicaid",
    },
    telehealth: { title: "Visitas a distancia (en inglés)", publisher: "Medicare.gov" },
    policyArticle: {
      title: "Monitores de glucosa, artículo A52464 (en inglés)",
      publisher: "Centros de Servicios de Medicare y Medicaid",
    },
    contractSuppliers: {
      title: "Licitación para equipo médico, hoja informativa de diciembre de 2025 (en inglés)",
      publisher: "Centros de Servicios de Medicare y Medicaid",
    },
  },
  callScripts,
  plain: {
    back: "Oprima el botón Atrás de su navegador. Todo lo que escribió sigue ahí.",
    thanks: "Gracias por su interés.\n\nRecibimos su información. Nos comunicaremos pronto con usted.",
  },
};
