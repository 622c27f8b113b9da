// What the lead form says, in Spanish.
import type { FormTexts } from "../language.ts";
import { claims } from "./claims.ts";

export const form: FormTexts = {
  heading: "Vea si usted califica",
  opening: [
    "Díganos cómo comunicarnos con usted. Nuestro equipo revisa sus respuestas en menos de 24 horas. Luego le llama un especialista.",
  ],
  usualNeeds: [claims.usualNeeds],
  helping:
    "¿Ayuda a otra persona? Ponga el nombre y el número de usted. Le llamamos primero a usted. A la otra persona, solo cuando ella esté de acuerdo.",
  labels: {
    name: "Nombre completo",
    email: "Correo electrónico",
    phone: "Número de teléfono",
    zip_code: "Código postal (ZIP)",
    has_medicare: "Tengo Medicare",
    has_diabetes: "Me han diagnosticado diabetes",
  },
  stars: "Por favor, llene cada línea que tiene una estrella (*).",
  boxes: "Marque lo que es cierto para usted. Puede dejar las dos vacías.",
  button: "Vea ahora si califica",
  busy: "Enviando...",
  sending: "Estamos enviando sus respuestas. Por favor, espere.",
  error: "Error: ",
  kept: "Lo que usted escribió sigue aquí. Puede oprimir el botón otra vez.",
  emptied: "Por favor, llene el formulario otra vez.",
  call: "O llámenos al {phone}.",
  failed: "No se pudo enviar. Por favor, intente otra vez.",
  unreachable:
    "No pudimos comunicarnos con el servidor. Por favor, revise su conexión a internet e intente otra vez.",
  unknownRefusal: "No se pudo enviar. Por favor, intente otra vez. El mensaje que recibimos dice:",
};
