// The fields of the eligibility check.
import { atMost } from "../page/at-most.ts";
import { DayField } from "../page/day-field.tsx";
import {
  type Answers,
  afterVisit,
  beforeVisit,
  plans,
  type YesNoName,
  yesNoAnswers,
} from "./eligibility-questions.ts";

interface Props {
  /** The lead's id, which keeps the fields of two leads apart. */
  lead: string;
  answers: Answers;
  onAnswer(answers: Answers): void;
}

export function EligibilityFields({ lead, answers, onAnswer }: Props) {
  const yesNo = ([name, question]: readonly [YesNoName, string]) => (
    <RadioGroup
      key={name}
      name={`${name} ${lead}`}
      question={question}
      options={yesNoAnswers}
      value={answers[name]}
      onChoose={(value) => onAnswer({ ...answers, [name]: value })}
    />
  );
  return (
    <div className="questions">
      {beforeVisit.map(yesNo)}
      <DayField
        label="The last visit about diabetes, in person or by video that Medicare takes"
        value={answers.visit_on ?? ""}
        onChoose={(day) => onAnswer({ ...answers, visit_on: day })}
        onEmpty={() => onAnswer({ ...answers, visit_on: null })}
      />
      {afterVisit.map(yesNo)}
      <label className="field">
        Who prescribes?
        <input
          type="text"
          {...atMost(200)}
          autoComplete="off"
          value={answers.prescriber}
          onChange={({ target }) => onAnswer({ ...answers, prescriber: target.value })}
        />
      </label>
      <RadioGroup
        name={`plan ${lead}`}
        question="Which plan?"
        options={plans}
        value={answers.plan}
        onChoose={(plan) => onAnswer({ ...answers, plan })}
      />
    </div>
  );
}

interface RadioProps<Value extends string> {
  name: string;
  question: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChoose(value: Value): void;
}

function RadioGroup<Value extends string>({ name, question, options, value, onChoose }: RadioProps<Value>) {
  return (
    <fieldset className="radio-group">
      <legend>{question}</legend>
      {options.map(([option, label]) => (
        <label key={option} className="choice">
          <input type="radio" name={name} checked={value === option} onChange={() => onChoose(option)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
