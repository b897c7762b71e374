//! A terminal of a given width.

use std::fs::File;
use std::io::Read;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The side that a person looks at.
pub(crate) struct Screen(File);

impl Screen {
    /// A screen with so many columns, and what a program writes to.
    pub(crate) fn open(columns: u16) -> (Screen, File) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("a grant");
        unlockpt(&master).expect("no lock");
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
        let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("text");
        (
            Screen(File::from(master)),
            File::options().read(true).write(true).open(name).expect("its other side"),
        )
    }

    /// All that is shown until nobody has the other side open any more.
    pub(crate) fn read(mut self) -> String {
        let mut shown = Vec::new();
        let mut piece = [0; 4096];
        // Reading fails, in place of an end.
        while let Ok(count @ 1..) = self.0.read(&mut piece) {
            shown.extend_from_slice(piece.get(..count).expect("what was read"));
        }
        String::from_utf8(shown).expect("text").replace("\r\n", "\n")
    }
}
