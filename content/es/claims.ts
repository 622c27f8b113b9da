// The claims, in Spanish.
import { claimsSaying } from "../claims.ts";

export const claims = claimsSaying({
  checksOften: "Mide su azúcar cada pocos minutos, de día y de noche.",
  worn: "Se pega a la piel, en el vientre o en el brazo.",
  underTheSkin: "Una parte muy fina queda justo debajo de la piel.",
  changedOften:
    "Usted se pone uno nuevo cada cierto tiempo, por ejemplo cada pocas semanas. Depende del modelo.",
  readsFluid:
    "El sensor mide el azúcar en el líquido que hay debajo de la piel. Luego manda el número por el aire a su lector.",
  anyTime: "Usted puede ver su número a toda hora. También puede ver cómo cambió en horas o en días.",
  alarm: "Puede sonar una alarma si el azúcar baja o sube demasiado.",
  fingerSticks:
    "A veces todavía hace falta un pinchazo en el dedo. Con algunos modelos hay que hacerlo cada vez, antes de cambiar la dosis de insulina.",
  canFail:
    "Los sensores y las alarmas pueden fallar. En 2025 se retiraron lectores porque podían quedarse sin sonido. A principios de 2026 se retiraron sensores porque podían dar números más bajos que los reales. Con esos sensores hubo reportes de 860 lesiones y 7 muertes. Por eso, pruebe el sonido. Y si el número no va con lo que usted siente, hágase un pinchazo en el dedo.",
  lessTimeLow:
    "Un estudio observó a 203 adultos con diabetes tipo 1, todos de 60 años o más. Quienes usaron un MCG pasaron de cerca del 5 por ciento del día con azúcar baja a menos del 3 por ciento. En los demás siguió cerca del 5 por ciento. El estudio no incluyó la diabetes tipo 2. Su resultado puede ser distinto.",
  keepsTrack: "El MCG guarda sus números a lo largo del tiempo.",
  sharing: "Algunos modelos también pueden mandar sus números a alguien de confianza, como su pareja.",
  partB:
    "La Parte B de Medicare puede cubrir un MCG como equipo médico duradero. Así llama Medicare a los aparatos de salud que duran y que se usan en casa.",
  hasDiabetes: "Usted tiene diabetes, tipo 1 o tipo 2.",
  insulinOrLows: "Usted usa insulina, o ha tenido problemas serios por el azúcar baja.",
  ordered: "Su médico le receta el MCG.",
  trained: "Usted, o quien le ayuda, sabe usarlo.",
  visit:
    "Usted vio a su médico por este tema en los 6 meses antes de la receta. Después tiene que ir una vez cada 6 meses para no perder la cobertura.",
  telehealth:
    "También cuenta una visita por video o teléfono que Medicare acepte. Desde la casa, esas visitas se cubren, en general, hasta el 31 de diciembre de 2027.",
  usualNeeds:
    "Casi siempre, Medicare pide que usted use insulina o que haya tenido problemas serios por el azúcar baja. También pide una receta de su médico.",
  shareAccepted:
    "Primero usted paga el deducible de la Parte B del año. Después paga el 20 por ciento de la cantidad que Medicare aprueba. Nosotros aceptamos esa cantidad como pago completo. Medicare lo llama “asignación”.",
  shareNotAccepted:
    "Primero usted paga el deducible de la Parte B del año. Después paga el 20 por ciento de la cantidad que Medicare aprueba, si la empresa que le vende acepta esa cantidad como pago completo. Medicare lo llama “asignación”. Nosotros no la aceptamos, así que con nosotros puede pagar más. Pregúntenos cuánto.",
  shareUnknown:
    "Primero usted paga el deducible de la Parte B del año. Después paga el 20 por ciento de la cantidad que Medicare aprueba, si la empresa que le vende acepta esa cantidad como pago completo. Medicare lo llama “asignación”. Pregúntenos si la aceptamos.",
  receiver:
    "Medicare paga los sensores solo si usted usa un lector al menos parte del tiempo. También vale una bomba de insulina que muestre los números. Puede usar además un teléfono, pero el teléfono solo no basta.",
  overTheCounter: "Los sensores que se venden sin receta no entran en esta cobertura.",
  contractSuppliers:
    "Las reglas van a cambiar a más tardar el 1 de enero de 2028. Medicare pagará entonces un alquiler del MCG por mes a empresas con un contrato nacional. Es posible que usted tenga que cambiar de empresa.",
});
