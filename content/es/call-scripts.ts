// What a member of the team says on the phone, in Spanish. The voicemail names no health matter apart from {name}, because others may hear
// it.
import type { CallScripts } from "../language.ts";

export const callScripts: CallScripts = {
  person: "la persona que pidió esta llamada",
  call: [
    "Hola, le habla {member}, de {name}. ¿Puedo hablar con {person}?",
    "En nuestra página, usted nos pidió que le llamáramos. ¿Es un buen momento? Tengo algunas preguntas, y usted me puede parar cuando quiera.",
  ],
  voicemail:
    "Hola, le habla {member}, de {name}. Le devuelvo la llamada que nos pidió. Nos puede llamar al {callsFrom}. Si no quiere que le llamemos, el número es {phone}. Gracias.",
};
