// What the thank-you page says, in Spanish.
import type { ThankYouTexts } from "../language.ts";

export const thankYou: ThankYouTexts = {
  heading: "Gracias por su interés",
  description: "Recibimos su información.",
  received: "Recibimos su información. Nos comunicaremos pronto con usted.",
  next: {
    heading: "Qué pasa ahora",
    steps: [
      "Nuestro equipo revisa en menos de 24 horas si usted puede calificar.",
      "Un especialista se comunica con usted para hablar de sus respuestas.",
      "Si usted califica, {name} le ayuda a empezar con el aparato. Antes, su médico lo tiene que recetar.",
    ],
  },
  caller: {
    heading: "Quién le va a llamar",
    text: "La llamada viene de {name}. Le conviene anotar nuestro número:",
    warning: [
      "Medicare no llama a nadie para vender. Si alguien dice que es de Medicare y le quiere vender algo, cuelgue.",
      "Nunca dé su número de Medicare a alguien que le llama sin que usted lo espere. ¿Preguntas? Llame a Medicare al 1-800-MEDICARE (1-800-633-4227).",
      "Usted nunca tiene que decidir por teléfono. Puede pedir que le llamemos después, o hablar antes con su médico.",
    ],
  },
  permission: {
    heading: "Lo que usted aceptó",
    text: "Esta es su copia de lo que decía arriba del botón:",
  },
  keep: {
    heading: "Guarde esta página",
    text: ["La puede imprimir o guardar. Tiene nuestro número y su copia de lo que usted aceptó."],
  },
  stop: {
    heading: "¿Cambió de idea?",
    text: "Llame al {phone} y diga: por favor, no me llamen más. No le llamaremos más. También nos lo puede decir de cualquier otra manera.",
  },
  back: "Volver al artículo",
};
