//! Documents of live servers into a bundle: redacted and slimmed exactly as those of a file.

use serde_json::Value;

use super::{Body, Bundle, Log, kubernetes, redact, shape};

impl Bundle {
    /// Takes the objects of an answer of a Kubernetes API server, a List or one object. Gives
    /// the number of objects that it took, or what is wrong with the answer.
    ///
    /// # Errors
    /// Something in the answer is no object; the others were taken.
    pub fn take_objects(&mut self, answer: Value) -> Result<usize, String> {
        let (before, mut odd) = (self.objects.len(), Vec::new());
        kubernetes::take_apart(answer, &mut self.objects, &mut odd);
        match odd.len() {
            0 => Ok(self.objects.len() - before),
            n => Err(format!("{n} entries of the answer are no objects")),
        }
    }

    /// Takes one page of an OpenStack answer.
    ///
    /// # Errors
    /// It has not the shape that this part has; it was taken all the same.
    pub fn take_body(&mut self, part: &str, mut value: Value) -> Result<(), &'static str> {
        let wrong = shape::body(part, &value);
        redact::body(part, &mut value);
        self.bodies.push(Body { part: part.to_owned(), value });
        wrong.map_or(Ok(()), Err)
    }

    /// Takes the kept records of a log; one without any is left out.
    pub fn take_log(&mut self, mut log: Log) {
        if log.text.is_empty() {
            return;
        }
        log.text = redact::text(&log.text).into_owned();
        self.logs.push(log);
    }

    /// Takes the console output of a server.
    pub fn take_console(&mut self, server: &str, text: &str) {
        self.consoles.insert(server.to_owned(), redact::text(text).into_owned());
    }

    /// Brings what was taken into the order that a bundle on the disk has, one of each object,
    /// and redacts the index.
    pub fn settle(&mut self) {
        self.objects = kubernetes::unique(std::mem::take(&mut self.objects));
        let key = |o: &super::Object| {
            let text = |p| o.value.pointer(p).and_then(Value::as_str).unwrap_or_default().to_owned();
            (o.part.clone(), text("/metadata/namespace"), text("/metadata/name"))
        };
        self.objects.sort_by_cached_key(key);
        self.bodies.sort_by(|a, b| a.part.cmp(&b.part));
        self.logs.sort_by(|a, b| {
            (&a.namespace, &a.pod, &a.container, !a.previous).cmp(&(
                &b.namespace,
                &b.pod,
                &b.container,
                !b.previous,
            ))
        });
        redact::meta(&mut self.meta);
    }
}
