// What the form's button says, and what a screen reader hears beside it, while it waits for the visitor and for the
// answer. (Specification 4.)
export const idle = { button: "Check Your Eligibility Now", status: "" };
export const busy = { button: "Submitting...", status: "Sending your answers. Please wait." };
