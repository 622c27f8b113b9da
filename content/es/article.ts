// The article, in Spanish: plain Latin American Spanish that says "usted". The sections stand as in English.
import type { ArticleTexts } from "../language.ts";
import { claims } from "./claims.ts";

export const article: ArticleTexts = {
  label: "Contenido patrocinado",
  paidFor: "Pagado por {name}",
  readingTime: "5 min de lectura",
  headline: "Un nuevo aparato cambia la forma en que las personas mayores cuidan su azúcar",
  standfirst:
    "Un pequeño sensor en la piel puede mostrar su azúcar de día y de noche. Aquí le contamos cómo funciona, a quién le puede servir y qué puede pagar Medicare.",
  whoWeAre: "Somos una empresa privada. No somos Medicare y no vendemos seguros.",
  picture: {
    alt: "Dibujo de una mujer mayor con un pequeño sensor redondo en el brazo. Tiene en la mano un lector que muestra el número 112, una flecha horizontal y una curva suave.",
    caption: "Un sensor en el brazo y un lector en la mano.",
  },
  photo: {
    alt: "Una persona mayor con un pequeño sensor redondo en el brazo mira un lector.",
    caption: "Un sensor en el brazo y un lector en la mano.",
  },
  opening: [
    [
      "Por muchos años, solo había una forma de medir el azúcar. Usted se pinchaba un dedo. Ponía una gota de sangre en una tira. Leía un número.",
    ],
    ["Ese número le hablaba de un solo momento. No le decía si el azúcar iba a subir o a bajar."],
    [
      "El monitor continuo de glucosa, o MCG, lo hace de otra manera. La glucosa es el azúcar del cuerpo. El MCG es un aparato pequeño que usted lleva puesto.",
      claims.checksOften,
      "Así usted no ve solo un número. Ve si sube, si baja o si sigue igual.",
    ],
  ],
  howItWorks: {
    heading: "Cómo funciona",
    opening: "Son tres pasos. Para ninguno hace falta una computadora.",
    steps: [
      {
        heading: "Usted lleva un pequeño sensor",
        text: ["Es pequeño y plano.", claims.worn, claims.underTheSkin, claims.changedOften],
      },
      {
        heading: "El sensor mide por usted",
        text: [claims.readsFluid, "Mientras tanto, usted puede dormir, cocinar o trabajar en el patio."],
      },
      { heading: "Usted mira el lector", text: [claims.anyTime, claims.alarm] },
    ],
    closing: [claims.fingerSticks, claims.canFail],
  },
  keyBenefits: {
    heading: "Beneficios principales",
    picture: {
      alt: "Una línea sube y baja durante un día. Cuatro puntos en ella son pinchazos en el dedo, todos en la zona sana. Entre los dos primeros puntos, de noche, la línea cae muy por debajo de esa zona.",
      caption:
        "Un día inventado. La franja es la zona sana. Los puntos son cuatro pinchazos en el dedo, y todos se ven bien. La línea es lo que ve un MCG: una bajada de noche que ningún punto muestra.",
    },
    benefits: [
      {
        heading: "Usted ve todo el día",
        text: [
          "Un pinchazo en el dedo es como una foto. Un MCG es más como una película. Usted puede ver qué hace una comida o una caminata.",
        ],
      },
      {
        heading: "Puede actuar antes",
        text: ["Cuando suena la alarma, usted puede tener tiempo para comer algo, sentarse o pedir ayuda."],
      },
      { heading: "Puede pasar menos tiempo con azúcar baja", text: [claims.lessTimeLow] },
      {
        heading: "Otros pueden estar pendientes",
        text: [claims.sharing, "Usted decide quién, y puede cambiar de idea."],
      },
      {
        heading: "Su médico ve más",
        text: [claims.keepsTrack, "Pueden mirarlos juntos y hablar de lo que le sirve."],
      },
    ],
  },
  extraSupport: {
    heading: "Ideal para personas mayores que necesitan más apoyo",
    text: [
      [
        "Hay días que ya son difíciles. Con las manos rígidas, el pinchazo toma tiempo. Cuesta ver las tiras pequeñas. Es fácil olvidar una prueba.",
      ],
      [
        "Un MCG puede quitarle parte de esa carga. El sensor se queda en la piel, así que hay menos que sostener y menos que acomodar. Y usted no tiene que vigilar a solas: un hijo o una hija que recibe sus números puede estar pendiente desde lejos.",
      ],
      ["No es para todos. Quizás no le guste llevar un aparato u oír una alarma. Hable antes con su médico."],
    ],
  },
  coverage: {
    heading: "Cobertura de Medicare disponible",
    opening: [claims.partB, "En la mayoría de los casos, todo esto tiene que ser cierto:"],
    needs: [
      [claims.hasDiabetes],
      [claims.insulinOrLows],
      [claims.ordered],
      [claims.trained],
      [claims.visit, claims.telehealth],
    ],
    share: {
      accepted: [claims.shareAccepted, "Si usted tiene otro plan, pregunte cuánto paga ese plan."],
      notAccepted: [claims.shareNotAccepted, "Si usted tiene otro plan, pregunte cuánto paga ese plan."],
      unknown: [claims.shareUnknown, "Si usted tiene otro plan, pregunte cuánto paga ese plan."],
    },
    text: [
      [claims.receiver, claims.overTheCounter],
      [claims.contractSuppliers],
      [
        "Las reglas tienen detalles, y ningún artículo puede conocer su caso. Por eso una persona revisa sus respuestas. Le prometemos que las vamos a revisar. No le podemos prometer un sí.",
      ],
    ],
  },
  future: {
    heading: "El futuro del cuidado de la diabetes ya está aquí",
    text: [
      [
        "Hace poco, una noche con azúcar baja podía pasar sin que nadie lo supiera. Ahora un aparato pequeño puede cuidar mientras usted descansa.",
      ],
      [
        "El MCG es una herramienta. No cura la diabetes. No reemplaza la buena comida, caminar un poco, la medicina correcta ni a un médico que lo conoce. Pero puede ayudarle a adivinar menos cada día.",
      ],
      [
        "En su próxima visita, haga una pregunta: “¿Me puede ayudar un MCG?”. Y si quiere saber qué puede cubrir Medicare, con gusto lo revisamos.",
      ],
    ],
    link: "Volver al formulario",
  },
  sources: { heading: "De dónde salen estos datos", reviewed: "Revisado el" },
};
